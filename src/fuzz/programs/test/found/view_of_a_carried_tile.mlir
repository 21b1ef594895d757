// A view of a tile that a loop begins with, read after the loop: the loop must not write into the tile's memory.
// launch: 1 grid 1 1 1
// buffer: f32 32 any 224884 exact
// buffer: f32 16 zero 973096 exact
cuda_tile.module @program {
  entry @main(%in: tile<ptr<f32>>, %out: tile<ptr<f32>>) {
    %iota = iota : tile<8xi32>
    %i = reshape %iota : tile<8xi32> -> tile<1x4x2xi32>
    %one = constant <i32: 1> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %f = itof %i signed : tile<1x4x2xi32> -> tile<1x4x2xf32>
    %a = divf %f, %f rounding<positive_inf> : tile<1x4x2xf32>
    %r = reshape %a : tile<1x4x2xf32> -> tile<1x2x2x2xf32>
    %x = for %k in (%zero to %three, step %one) : tile<i32> iter_values(%c = %a) -> (tile<1x4x2xf32>) {
      %p1 = offset %in, %k : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
      %p2 = reshape %p1 : tile<ptr<f32>> -> tile<1x1x1xptr<f32>>
      %p3 = broadcast %p2 : tile<1x1x1xptr<f32>> -> tile<1x4x2xptr<f32>>
      %p4 = offset %p3, %i : tile<1x4x2xptr<f32>>, tile<1x4x2xi32> -> tile<1x4x2xptr<f32>>
      %v, %t = load_ptr_tko weak %p4 : tile<1x4x2xptr<f32>> -> tile<1x4x2xf32>, token
      continue %v : tile<1x4x2xf32>
    }
    %q2 = reshape %out : tile<ptr<f32>> -> tile<1x1x1xptr<f32>>
    %q3 = broadcast %q2 : tile<1x1x1xptr<f32>> -> tile<1x4x2xptr<f32>>
    %q4 = offset %q3, %i : tile<1x4x2xptr<f32>>, tile<1x4x2xi32> -> tile<1x4x2xptr<f32>>
    %t1 = store_ptr_tko weak %q4, %x : tile<1x4x2xptr<f32>>, tile<1x4x2xf32> -> token
    %e = constant <i32: 8> : tile<i32>
    %o2 = offset %out, %e : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %s2 = reshape %o2 : tile<ptr<f32>> -> tile<1x1x1x1xptr<f32>>
    %s3 = broadcast %s2 : tile<1x1x1x1xptr<f32>> -> tile<1x2x2x2xptr<f32>>
    %i4 = reshape %iota : tile<8xi32> -> tile<1x2x2x2xi32>
    %s4 = offset %s3, %i4 : tile<1x2x2x2xptr<f32>>, tile<1x2x2x2xi32> -> tile<1x2x2x2xptr<f32>>
    %t2 = store_ptr_tko weak %s4, %r : tile<1x2x2x2xptr<f32>>, tile<1x2x2x2xf32> -> token
    return
  }
}
