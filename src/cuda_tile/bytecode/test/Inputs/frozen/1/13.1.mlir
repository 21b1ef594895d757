// Every operation, attribute, operand, type and enumerator of version 13.1, in small entries by topic.
#file = #cuda_tile.di_file<"frozen.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#kernel = #cuda_tile.di_subprogram<file = #file, line = 3, name = "kernel", linkageName = "located", compileUnit = #unit, scopeLine = 4>
#helper = #cuda_tile.di_subprogram<file = #file, line = 20, name = "helper", linkageName = "helper", compileUnit = #unit, scopeLine = 21>
#block = #cuda_tile.di_lexical_block<scope = #kernel, file = #file, line = 6, column = 2>
#here = loc(#cuda_tile.di_loc<loc("/src/frozen.py":3:1) in #kernel>)
#inside = loc(#cuda_tile.di_loc<loc("/src/frozen.py":7:9) in #block>)
#inlined = loc(callsite(#cuda_tile.di_loc<loc("/src/frozen.py":22:5) in #helper> at #cuda_tile.di_loc<loc("/src/frozen.py":8:300) in #kernel>))

cuda_tile.module @kernels {
  global @table alignment = 256 <f32: [1.0, -0.0, 0x7F800000, 2.5]> : tile<4xf32>
  global @counter <i32: 7> : tile<1xi32>

  entry @float(%a: tile<f32>, %b: tile<f32>, %h: tile<f16>, %g: tile<bf16>, %d: tile<f64>) {
    %addf = addf %a, %b : tile<f32>
    %addf_zero = addf %a, %b rounding<zero> : tile<f32>
    %addf_down = addf %d, %d rounding<negative_inf> : tile<f64>
    %addf_up = addf %d, %d rounding<positive_inf> : tile<f64>
    %addf_ftz = addf %a, %b flush_to_zero : tile<f32>
    %subf = subf %h, %h : tile<f16>
    %subf_ftz = subf %a, %b rounding<zero> flush_to_zero : tile<f32>
    %mulf = mulf %g, %g : tile<bf16>
    %mulf_ftz = mulf %a, %b rounding<negative_inf> flush_to_zero : tile<f32>
    %divf = divf %a, %b : tile<f32>
    %divf_approx = divf %a, %b rounding<approx> : tile<f32>
    %divf_full = divf %a, %b rounding<full> flush_to_zero : tile<f32>
    %fma = fma %a, %b, %addf : tile<f32>
    %fma_ftz = fma %a, %b, %addf rounding<positive_inf> flush_to_zero : tile<f32>
    %remf = remf %a, %b : tile<f32>
    %maxf = maxf %a, %b : tile<f32>
    %maxf_nan = maxf %a, %b propagate_nan : tile<f32>
    %maxf_ftz = maxf %a, %b flush_to_zero : tile<f32>
    %minf = minf %a, %b : tile<f32>
    %minf_nan = minf %a, %b flush_to_zero propagate_nan : tile<f32>
    %negf = negf %a : tile<f32>
    %absf = absf %a : tile<f32>
    %eq = cmpf equal ordered %a, %b : tile<f32> -> tile<i1>
    %ne = cmpf not_equal unordered %a, %b : tile<f32> -> tile<i1>
    %lt = cmpf less_than ordered %a, %b : tile<f32> -> tile<i1>
    %le = cmpf less_than_or_equal unordered %a, %b : tile<f32> -> tile<i1>
    %gt = cmpf greater_than ordered %a, %b : tile<f32> -> tile<i1>
    %ge = cmpf greater_than_or_equal unordered %a, %b : tile<f32> -> tile<i1>
    return
  }
  entry @math(%x: tile<f32>, %y: tile<f32>) {
    %ceil = ceil %x : tile<f32>
    %floor = floor %x : tile<f32>
    %cos = cos %x : tile<f32>
    %cosh = cosh %x : tile<f32>
    %sin = sin %x : tile<f32>
    %sinh = sinh %x : tile<f32>
    %tan = tan %x : tile<f32>
    %tanh = tanh %x : tile<f32>
    %exp = exp %x : tile<f32>
    %exp2 = exp2 %x : tile<f32>
    %exp2_ftz = exp2 %x flush_to_zero : tile<f32>
    %log = log %x : tile<f32>
    %log2 = log2 %x : tile<f32>
    %pow = fpowf %x, %y : tile<f32>
    %rsqrt = rsqrt %x : tile<f32>
    %rsqrt_ftz = rsqrt %x flush_to_zero : tile<f32>
    %sqrt = sqrt %x : tile<f32>
    %sqrt_ftz = sqrt %x rounding<approx> flush_to_zero : tile<f32>
    return
  }
  entry @integer(%a: tile<i32>, %b: tile<i32>, %c: tile<i64>, %s: tile<i16>, %t: tile<i8>, %p: tile<i1>) {
    %addi = addi %a, %b : tile<i32>
    %addi_nsw = addi %a, %b overflow<no_signed_wrap> : tile<i32>
    %subi = subi %s, %s overflow<no_unsigned_wrap> : tile<i16>
    %muli = muli %t, %t overflow<no_wrap> : tile<i8>
    %mulhii = mulhii %a, %b : tile<i32>
    %divi = divi %a, %b signed : tile<i32>
    %divi_up = divi %a, %b unsigned rounding<positive_inf> : tile<i32>
    %divi_down = divi %a, %b signed rounding<negative_inf> : tile<i32>
    %remi = remi %a, %b signed : tile<i32>
    %negi = negi %a : tile<i32>
    %absi = absi %a : tile<i32>
    %maxi = maxi %a, %b signed : tile<i32>
    %mini = mini %a, %b unsigned : tile<i32>
    %andi = andi %p, %p : tile<i1>
    %ori = ori %c, %c : tile<i64>
    %xori = xori %c, %c : tile<i64>
    %shli = shli %c, %c overflow<no_wrap> : tile<i64>
    %shri = shri %c, %c unsigned : tile<i64>
    %eq = cmpi equal %a, %b, signed : tile<i32> -> tile<i1>
    %ne = cmpi not_equal %a, %b, unsigned : tile<i32> -> tile<i1>
    %lt = cmpi less_than %a, %b, signed : tile<i32> -> tile<i1>
    %le = cmpi less_than_or_equal %a, %b, unsigned : tile<i32> -> tile<i1>
    %gt = cmpi greater_than %a, %b, signed : tile<i32> -> tile<i1>
    %ge = cmpi greater_than_or_equal %a, %b, unsigned : tile<i32> -> tile<i1>
    return
  }
  entry @convert(%i: tile<i32>, %x: tile<f32>, %d: tile<f64>, %p: tile<ptr<f32>>) {
    %exti = exti %i signed : tile<i32> -> tile<i64>
    %trunci = trunci %i overflow<no_signed_wrap> : tile<i32> -> tile<i8>
    %tf32 = ftof %x : tile<f32> -> tile<tf32>
    %down = ftof %d rounding<zero> : tile<f64> -> tile<f32>
    %half = ftof %x rounding<zero> : tile<f32> -> tile<f16>
    %e4m3 = ftof %x : tile<f32> -> tile<f8E4M3FN>
    %e5m2 = ftof %x : tile<f32> -> tile<f8E5M2>
    %ftoi = ftoi %x signed : tile<f32> -> tile<i32>
    %itof = itof %i unsigned : tile<i32> -> tile<f16>
    %bitcast = bitcast %x : tile<f32> -> tile<i32>
    %address = ptr_to_int %p : tile<ptr<f32>> -> tile<i64>
    %pointer = int_to_ptr %address : tile<i64> -> tile<ptr<i8>>
    %other = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<i32>>
    return
  }
  entry @constants() {
    %true = constant <i1: true> : tile<4xi1>
    %bits = constant <i1: [true, false, false, true, true, false, true, false, true, true, false, true, false, false, true, false]> : tile<16xi1>
    %bytes = constant <i8: [-128, 127]> : tile<2xi8>
    %words = constant <i16: [[1, -2], [3, 4]]> : tile<2x2xi16>
    %scalar = constant <i64: -9223372036854775808> : tile<i64>
    %half = constant <f16: 0xFC00> : tile<f16>
    %brain = constant <bf16: 1.5> : tile<2xbf16>
    %nan = constant <f32: 0x7FC00000> : tile<f32>
    %tf32 = constant <tf32: 1.5> : tile<2xtf32>
    %double = constant <f64: [0.1, -3.0e300]> : tile<2xf64>
    %e4m3 = constant <f8E4M3FN: [1.0, -0.25]> : tile<2xf8E4M3FN>
    %e5m2 = constant <f8E5M2: 2.0> : tile<2xf8E5M2>
    return
  }
  entry @shape(%i: tile<i32>, %n: tile<i32>, %p: tile<ptr<f32>>) {
    %iota = iota : tile<8xi32>
    %row = reshape %iota : tile<8xi32> -> tile<1x8xi32>
    %tile = broadcast %row : tile<1x8xi32> -> tile<4x8xi32>
    %turned = permute %tile [1, 0] : tile<4x8xi32> -> tile<8x4xi32>
    %double = cat %tile, %tile dim = 1 : tile<4x8xi32>, tile<4x8xi32> -> tile<4x16xi32>
    %part = extract %tile[%i, %i] : tile<4x8xi32> -> tile<2x4xi32>
    %less = cmpi less_than %tile, %tile, signed : tile<4x8xi32> -> tile<4x8xi1>
    %chosen = select %less, %tile, %tile : tile<4x8xi1>, tile<4x8xi32>
    %aligned = assume div_by<16>, %p : tile<ptr<f32>>
    %low = assume bounded<0, ?>, %n : tile<i32>
    %high = assume bounded<?, 7>, %low : tile<i32>
    %both = assume bounded<-5, 1000>, %n : tile<i32>
    %steps = assume div_by<4, every 2 along 1>, %tile : tile<4x8xi32>
    %same = assume same_elements<[1, 4]>, %tile : tile<4x8xi32>
    return
  }
  entry @views(%p: tile<ptr<f32>>, %n: tile<i32>, %s: tile<i64>) optimization_hints=<sm_100 = {num_cta_in_cga = 2, occupancy = 4}, sm_90 = {occupancy = 1}> {
    %whole = make_tensor_view %p, shape = [8, 4], strides = [4, 1] : tensor_view<8x4xf32, strides=[4,1]>
    %scalar = make_tensor_view %p, shape = [], strides = [] : tensor_view<f32>
    %open = make_tensor_view %p, shape = [%s, 64], strides = [%s, 1] : tile<i64> -> tensor_view<?x64xf32, strides=[?,1]>
    %shape:2 = get_tensor_shape %open : tensor_view<?x64xf32, strides=[?,1]> -> tile<i32>
    %view = make_partition_view %open : partition_view<tile=(16x8), tensor_view<?x64xf32, strides=[?,1]>>
    %zero = make_partition_view %open : partition_view<tile=(16x8), padding_value = zero, tensor_view<?x64xf32, strides=[?,1]>>
    %neg_zero = make_partition_view %open : partition_view<tile=(16x8), padding_value = neg_zero, tensor_view<?x64xf32, strides=[?,1]>>
    %nan = make_partition_view %open : partition_view<tile=(16x8), padding_value = nan, tensor_view<?x64xf32, strides=[?,1]>>
    %pos_inf = make_partition_view %open : partition_view<tile=(16x8), padding_value = pos_inf, tensor_view<?x64xf32, strides=[?,1]>>
    %turned = make_partition_view %open : partition_view<tile=(16x8), padding_value = neg_inf, tensor_view<?x64xf32, strides=[?,1]>, dim_map=[1, 0]>
    %grid:2 = get_index_space_shape %view : partition_view<tile=(16x8), tensor_view<?x64xf32, strides=[?,1]>> -> tile<i64>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %a, %b, %c = get_num_tile_blocks : tile<i32>
    %token = make_token : token
    %tile, %loaded = load_view_tko weak %view[%x, %y] : partition_view<tile=(16x8), tensor_view<?x64xf32, strides=[?,1]>>, tile<i32> -> tile<16x8xf32>, token
    %tile2, %loaded2 = load_view_tko acquire sys %view[%x, %y] token = %token optimization_hints = <sm_100 = {allow_tma = false, latency = 3}> : partition_view<tile=(16x8), tensor_view<?x64xf32, strides=[?,1]>>, tile<i32> -> tile<16x8xf32>, token
    %all = join_tokens %loaded, %loaded2 : token
    %stored = store_view_tko weak %tile, %view[%x, %y] : tile<16x8xf32>, partition_view<tile=(16x8), tensor_view<?x64xf32, strides=[?,1]>>, tile<i32> -> token
    %stored2 = store_view_tko release device %tile, %view[%x, %y] token = %all optimization_hints = <sm_90 = {allow_tma = false, latency = 10}> : tile<16x8xf32>, partition_view<tile=(16x8), tensor_view<?x64xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
  entry @pointers(%p: tile<ptr<f32>>, %m: tile<i1>, %x: tile<f32>, %k: tile<i64>) {
    %table = get_global @table : tile<ptr<f32>>
    %q = offset %table, %k : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
    %0, %t0 = load_ptr_tko weak %q : tile<ptr<f32>> -> tile<f32>, token
    %1, %t1 = load_ptr_tko relaxed tl_blk %p, %m : tile<ptr<f32>>, tile<i1> -> tile<f32>, token
    %2, %t2 = load_ptr_tko relaxed device %p, %m, %x token=%t0 optimization_hints = <sm_80 = {latency = 2}> : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
    %3 = store_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> token
    %4 = store_ptr_tko release sys %p, %x, %m token=%t2 optimization_hints = <sm_120 = {latency = 1}> : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
    return
  }
  entry @atomics(%p: tile<ptr<i32>>, %x: tile<i32>, %m: tile<i1>, %q: tile<ptr<f32>>, %y: tile<f32>) {
    %t = make_token : token
    %0, %t0 = atomic_cas_tko relaxed tl_blk %p, %x, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %1, %t1 = atomic_cas_tko acq_rel sys %p, %x, %x, %m token=%t : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    %and, %t2 = atomic_rmw_tko relaxed device %p, and, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %or, %t3 = atomic_rmw_tko acquire device %p, or, %x, %m : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    %xor, %t4 = atomic_rmw_tko release device %p, xor, %x token=%t3 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %add, %t5 = atomic_rmw_tko acq_rel sys %p, add, %x, %m token=%t4 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    %addf, %t6 = atomic_rmw_tko relaxed tl_blk %q, addf, %y : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    %max, %t7 = atomic_rmw_tko relaxed device %p, max, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %min, %t8 = atomic_rmw_tko relaxed device %p, min, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %umax, %t9 = atomic_rmw_tko relaxed device %p, umax, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %umin, %t10 = atomic_rmw_tko relaxed device %p, umin, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %xchg, %t11 = atomic_rmw_tko relaxed device %p, xchg, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
  entry @products() {
    %a = constant <f16: 0.5> : tile<4x8xf16>
    %b = constant <f16: 0.25> : tile<8x16xf16>
    %c = constant <f32: 0.0> : tile<4x16xf32>
    %0 = mmaf %a, %b, %c : tile<4x8xf16>, tile<8x16xf16>, tile<4x16xf32>
    %d = constant <f8E5M2: 1.0> : tile<2x4x8xf8E5M2>
    %e = constant <f8E5M2: 1.0> : tile<2x8x4xf8E5M2>
    %f = constant <f16: 0.0> : tile<2x4x4xf16>
    %1 = mmaf %d, %e, %f : tile<2x4x8xf8E5M2>, tile<2x8x4xf8E5M2>, tile<2x4x4xf16>
    %g = constant <i8: 1> : tile<4x4xi8>
    %h = constant <i32: 0> : tile<4x4xi32>
    %2 = mmai %g, %g, %h signed unsigned : tile<4x4xi8>, tile<4x4xi8>, tile<4x4xi32>
    return
  }
  entry @folds() {
    %x = constant <f32: 1.0> : tile<4x8xf32>
    %i = constant <i32: 0> : tile<4x8xi32>
    %d = constant <f64: 1.0> : tile<8xf64>
    %best:2 = reduce %x, %i dim=0 identities=[0xFF800000 : f32, -1 : i32] : tile<4x8xf32>, tile<4x8xi32> -> tile<8xf32>, tile<8xi32>
    (%a: tile<f32>, %b: tile<f32>, %j: tile<i32>, %k: tile<i32>) {
      %less = cmpf less_than ordered %a, %b : tile<f32> -> tile<i1>
      %v = select %less, %b, %a : tile<i1>, tile<f32>
      %w = select %less, %k, %j : tile<i1>, tile<i32>
      yield %v, %w : tile<f32>, tile<i32>
    }
    %sum = reduce %d dim=0 identities=[-1.5 : f64] : tile<8xf64> -> tile<f64>
    (%a: tile<f64>, %b: tile<f64>) {
      %s = addf %a, %b : tile<f64>
      yield %s : tile<f64>
    }
    %prefix = scan %i dim=1 reverse=true identities=[0 : i32] : tile<4x8xi32> -> tile<4x8xi32>
    (%a: tile<i32>, %b: tile<i32>) {
      %s = addi %a, %b : tile<i32>
      yield %s : tile<i32>
    }
    %forward = scan %x dim=0 reverse=false identities=[1.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %s = mulf %a, %b : tile<f32>
      yield %s : tile<f32>
    }
    return
  }
  entry @control(%n: tile<i32>, %c: tile<i1>, %x: tile<f32>) {
    for %i in (%n to %n, step %n) : tile<i32> {
    }
    %0 = for %i in (%n to %n, step %n) : tile<i32> iter_values(%a = %x) -> (tile<f32>) {
      continue %a : tile<f32>
    }
    loop {
      break
    }
    %1:2 = loop iter_values(%a = %x) : tile<f32> -> tile<i32>, tile<i1> {
      if %c {
        break %n, %c : tile<i32>, tile<i1>
      } else {
        continue %a : tile<f32>
      }
      continue %a : tile<f32>
    }
    %2 = if %c -> (tile<i32>) {
      yield %n : tile<i32>
    } else {
      yield %1#0 : tile<i32>
    }
    if %c {
      return
    }
    assert %c, "out of \"range\"" : tile<i1>
    %3 = print_tko "n = %d, x = %f\n", %n, %x : tile<i32>, tile<f32> -> token
    %4 = print_tko "done" -> token
    return
  }
  entry @located(%c: tile<i1>, %x: tile<f32>) {
    %0 = if %c -> (tile<f32>) {
      %1 = addf %x, %x : tile<f32> loc(#inlined)
      yield %1 : tile<f32> loc(#inside)
    } else {
      yield %x : tile<f32> loc(#inside)
    } loc(#here)
    %2 = absf %0 : tile<f32>
    return loc(#here)
  } loc(#here)
}
