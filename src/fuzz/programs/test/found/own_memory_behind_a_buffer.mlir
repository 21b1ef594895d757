// On GPUs memory of a kernel's own was in the place of a buffer that LLVM read after it.
// launch: 5012530 grid 1 1 1
// buffer: i64 466 any 120216 exact
// buffer: f64 371 any 127086 exact
// buffer: i64 64 zero 665055 exact
// buffer: i32 8 zero 912363 exact
cuda_tile.module @program {
  entry @main(%arg0: tile<ptr<i64>>, %arg1: tile<ptr<f64>>, %arg2: tile<ptr<i64>>, %arg3: tile<ptr<i32>>) {
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
    %0 = muli %blockId_z, %gridSize_y : tile<i32>
    %1 = addi %0, %blockId_y : tile<i32>
    %2 = muli %1, %gridSize_x : tile<i32>
    %3 = addi %2, %blockId_x : tile<i32>
    %4 = mini %blockId_x, %blockId_z signed : tile<i32>
    %reshape = reshape %blockId_x : tile<i32> -> tile<1x1xi32>
    %bcast = broadcast %reshape : tile<1x1xi32> -> tile<64x1xi32>
    %reshape_0 = reshape %bcast : tile<64x1xi32> -> tile<4x16xi32>
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %5 = andi %4, %cst_3_i32 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %6 = andi %blockId_y, %cst_1_i32 : tile<i32>
    %7 = extract %reshape_0[%5, %6] : tile<4x16xi32> -> tile<1x8xi32>
    %8 = alloca num_elem = 4, alignment = 16 global : tile<ptr<f64>>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %9 = offset %8, %cst_0_i32 : tile<ptr<f64>>, tile<i32> -> tile<ptr<f64>>
    %reshape_1 = reshape %9 : tile<ptr<f64>> -> tile<1xptr<f64>>
    %bcast_2 = broadcast %reshape_1 : tile<1xptr<f64>> -> tile<4xptr<f64>>
    %10 = iota : tile<4xi32>
    %11 = offset %bcast_2, %10 : tile<4xptr<f64>>, tile<4xi32> -> tile<4xptr<f64>>
    %cst_f64 = constant <f64: [1.000000e+00, 0.024350498880266969, 46.660244027734734, -7.000000e+00]> : tile<4xf64>
    %12 = store_ptr_tko weak %11, %cst_f64 : tile<4xptr<f64>>, tile<4xf64> -> token
    %13 = exti %reshape_0 signed : tile<4x16xi32> -> tile<4x16xi64>
    %cst_63_i64 = constant <i64: 63> : tile<4x16xi64>
    %14 = andi %13, %cst_63_i64 : tile<4x16xi64>
    %15 = shli %13, %14 : tile<4x16xi64>
    %cst_403_i32 = constant <i32: 403> : tile<i32>
    %16 = remi %blockId_z, %cst_403_i32 unsigned : tile<i32>
    %17 = offset %arg0, %16 : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %reshape_3 = reshape %17 : tile<ptr<i64>> -> tile<1x1xptr<i64>>
    %bcast_4 = broadcast %reshape_3 : tile<1x1xptr<i64>> -> tile<4x16xptr<i64>>
    %18 = iota : tile<64xi32>
    %reshape_5 = reshape %18 : tile<64xi32> -> tile<4x16xi32>
    %19 = offset %bcast_4, %reshape_5 : tile<4x16xptr<i64>>, tile<4x16xi32> -> tile<4x16xptr<i64>>
    %result, %result_token = load_ptr_tko weak %19 : tile<4x16xptr<i64>> -> tile<4x16xi64>, token
    %cst_1_i64 = constant <i64: 1> : tile<4x16xi64>
    %20 = addi %result, %cst_1_i64 : tile<4x16xi64>
    %cst_2_i64 = constant <i64: 2> : tile<4x16xi64>
    %21 = cmpi less_than %20, %cst_2_i64, unsigned : tile<4x16xi64> -> tile<4x16xi1>
    %cst_16_i64 = constant <i64: 16> : tile<4x16xi64>
    %22 = select %21, %cst_16_i64, %result : tile<4x16xi1>, tile<4x16xi64>
    %23 = divi %15, %22 signed rounding<negative_inf> : tile<4x16xi64>
    %cst_0_i32_6 = constant <i32: 0> : tile<i32>
    %24 = offset %arg2, %cst_0_i32_6 : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %tview = make_tensor_view %24, shape = [4, 16], strides = [16, 1] : tensor_view<4x16xi64, strides=[16,1]>
    %pview = make_partition_view %tview : partition_view<tile=(4x16), tensor_view<4x16xi64, strides=[16,1]>>
    %cst_0_i32_7 = constant <i32: 0> : tile<i32>
    %25 = store_view_tko weak %23, %pview[%3, %cst_0_i32_7] : tile<4x16xi64>, partition_view<tile=(4x16), tensor_view<4x16xi64, strides=[16,1]>>, tile<i32> -> token
    %cst_8_i32 = constant <i32: 8> : tile<i32>
    %26 = muli %3, %cst_8_i32 : tile<i32>
    %cst_0_i32_8 = constant <i32: 0> : tile<i32>
    %27 = addi %26, %cst_0_i32_8 : tile<i32>
    %28 = offset %arg3, %27 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %reshape_9 = reshape %28 : tile<ptr<i32>> -> tile<1x1xptr<i32>>
    %bcast_10 = broadcast %reshape_9 : tile<1x1xptr<i32>> -> tile<1x8xptr<i32>>
    %29 = iota : tile<8xi32>
    %reshape_11 = reshape %29 : tile<8xi32> -> tile<1x8xi32>
    %30 = offset %bcast_10, %reshape_11 : tile<1x8xptr<i32>>, tile<1x8xi32> -> tile<1x8xptr<i32>>
    %31 = store_ptr_tko weak %30, %7 : tile<1x8xptr<i32>>, tile<1x8xi32> -> token
    return
  }
}
