// A comparison with zero of a bitcast from f16 to bf16, of which LLVM's InstCombine makes invalid IR.
// launch: 1 grid 1 1 1
// buffer: f16 4 any 5 exact
// buffer: i1 4 zero 6 exact
cuda_tile.module @program {
  entry @main(%in: tile<ptr<f16>>, %out: tile<ptr<i1>>) {
    %x, %t1 = load_ptr_tko weak %in : tile<ptr<f16>> -> tile<f16>, token
    %c = constant <f16: -1000.0> : tile<f16>
    %m = maxf %x, %c : tile<f16>
    %b = bitcast %m : tile<f16> -> tile<bf16>
    %z = constant <bf16: 0.0> : tile<bf16>
    %n = cmpf not_equal unordered %b, %z : tile<bf16> -> tile<i1>
    %u = store_ptr_tko weak %out, %n : tile<ptr<i1>>, tile<i1> -> token
    return
  }
}
