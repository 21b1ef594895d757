// What version 13.2 added.
cuda_tile.module @kernels {
  entry @since_13_2(%x: tile<f32>, %y: tile<f32>, %a: tile<i32>, %n: tile<i32>) {
    %angle = atan2 %x, %y : tile<f32>
    %negative = negi %a overflow<no_signed_wrap> : tile<i32>
    %tanh = tanh %x rounding<approx> : tile<f32>
    for unsigned %i in (%n to %n, step %n) : tile<i32> {
    }
    %token = make_token : token
    %printed = print_tko "x = %f\n", %x token=%token : tile<f32> -> token
    %scale = ftof %x rounding<zero> : tile<f32> -> tile<f8E8M0FNU>
    %scales = constant <f8E8M0FNU: [1.0, 4.0]> : tile<2xf8E8M0FNU>
    return
  }
}
