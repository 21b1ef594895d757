// The least of numbers that are all NaN is NaN, on every target: the identity, infinity, is not taken in.
// launch: 5021 grid 2 1 1
// buffer: f32 512 zero 1 exact
// buffer: f32 2 zero 1 exact
// buffer: f32 16 zero 1 exact
cuda_tile.module @program {
  entry @main(%scanned: tile<ptr<f32>>, %reduced: tile<ptr<f32>>, %rows: tile<ptr<f32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %nan = constant <f32: 0x7FC00000> : tile<256xf32>
    %three = constant <f32: 3.0> : tile<256xf32>
    %i = iota : tile<256xi32>
    %c100 = constant <i32: 100> : tile<256xi32>
    %late = cmpi greater_than_or_equal %i, %c100, signed : tile<256xi32> -> tile<256xi1>
    %late_three = select %late, %three, %nan : tile<256xi1>, tile<256xf32>
    %s = scan %late_three dim=0 reverse=false identities=[0x7F800000 : f32] : tile<256xf32> -> tile<256xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %m = minf %a, %b : tile<f32>
      yield %m : tile<f32>
    }
    %r = reduce %nan dim=0 identities=[0xFF800000 : f32] : tile<256xf32> -> tile<f32>
    (%a: tile<f32>, %b: tile<f32>) {
      %m = maxf %a, %b : tile<f32>
      yield %m : tile<f32>
    }
    %square = reshape %nan : tile<256xf32> -> tile<8x32xf32>
    %q = reduce %square dim=1 identities=[0x7F800000 : f32] : tile<8x32xf32> -> tile<8xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %m = minf %a, %b : tile<f32>
      yield %m : tile<f32>
    }
    %sv = make_tensor_view %scanned, shape = [512], strides = [1] : tensor_view<512xf32, strides=[1]>
    %sp = make_partition_view %sv : partition_view<tile=(256), tensor_view<512xf32, strides=[1]>>
    %t0 = store_view_tko weak %s, %sp[%x] : tile<256xf32>, partition_view<tile=(256), tensor_view<512xf32, strides=[1]>>, tile<i32> -> token
    %p = offset %reduced, %x : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %t1 = store_ptr_tko weak %p, %r : tile<ptr<f32>>, tile<f32> -> token
    %qv = make_tensor_view %rows, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>
    %qp = make_partition_view %qv : partition_view<tile=(8), tensor_view<16xf32, strides=[1]>>
    %t2 = store_view_tko weak %q, %qp[%x] : tile<8xf32>, partition_view<tile=(8), tensor_view<16xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
