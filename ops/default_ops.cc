#include "ops/default_ops.h"

#include <cstdio>
#include <cstdlib>

#include "graph/base/status_macros.h"
#include "ops/accumulator_ops.h"
#include "ops/activation_ops.h"
#include "ops/approx_top_k_ops.h"
#include "ops/arg_ops.h"
#include "ops/audio_ops.h"
#include "ops/banded_solve_ops.h"
#include "ops/barrier_ops.h"
#include "ops/base64_ops.h"
#include "ops/basic_array_ops.h"
#include "ops/batch_norm_ops.h"
#include "ops/beta_ops.h"
#include "ops/bias_ops.h"
#include "ops/binary_math_ops.h"
#include "ops/bincount_ops.h"
#include "ops/box_sample_ops.h"
#include "ops/bucket_ops.h"
#include "ops/candidate_ops.h"
#include "ops/cast_ops.h"
#include "ops/color_ops.h"
#include "ops/composite_tensor_ops.h"
#include "ops/control_flow_ops.h"
#include "ops/conv_ops.h"
#include "ops/count_ops.h"
#include "ops/crop_ops.h"
#include "ops/csv_ops.h"
#include "ops/ctc_ops.h"
#include "ops/data_format_ops.h"
#include "ops/dataset_batch_ops.h"
#include "ops/dataset_file_ops.h"
#include "ops/dataset_function_ops.h"
#include "ops/dataset_order_ops.h"
#include "ops/dataset_reduce_ops.h"
#include "ops/dataset_shuffle_ops.h"
#include "ops/dataset_source_ops.h"
#include "ops/decode_ops.h"
#include "ops/detection_ops.h"
#include "ops/determinant_ops.h"
#include "ops/diag_ops.h"
#include "ops/dilation_ops.h"
#include "ops/dynamic_ops.h"
#include "ops/edit_distance_ops.h"
#include "ops/einsum_ops.h"
#include "ops/environment_ops.h"
#include "ops/example_ops.h"
#include "ops/factorization_ops.h"
#include "ops/fake_quant_ops.h"
#include "ops/fft_ops.h"
#include "ops/file_ops.h"
#include "ops/fractional_pool_ops.h"
#include "ops/function_ops.h"
#include "ops/gather_ops.h"
#include "ops/global_norm_ops.h"
#include "ops/image_codec_ops.h"
#include "ops/general_conv_ops.h"
#include "ops/image_transform_ops.h"
#include "ops/inplace_ops.h"
#include "ops/isotonic_ops.h"
#include "ops/iterator_ops.h"
#include "ops/joining_ops.h"
#include "ops/logging_ops.h"
#include "ops/lookup_ops.h"
#include "ops/lrn_ops.h"
#include "ops/matmul_ops.h"
#include "ops/matrix_diag_ops.h"
#include "ops/matrix_function_ops.h"
#include "ops/matrix_solve_ops.h"
#include "ops/mutex_ops.h"
#include "ops/optimizer_ops.h"
#include "ops/optional_ops.h"
#include "ops/padding_ops.h"
#include "ops/patch_ops.h"
#include "ops/pool_ops.h"
#include "ops/quantize_ops.h"
#include "ops/quantized_concat_ops.h"
#include "ops/quantized_image_ops.h"
#include "ops/quantized_math_ops.h"
#include "ops/queue_ops.h"
#include "ops/ragged_layout_ops.h"
#include "ops/ragged_ops.h"
#include "ops/ragged_variant_ops.h"
#include "ops/random_distribution_ops.h"
#include "ops/random_ops.h"
#include "ops/random_shuffle_ops.h"
#include "ops/recurrent_ops.h"
#include "ops/reduce_ops.h"
#include "ops/remote_call_ops.h"
#include "ops/requantize_ops.h"
#include "ops/resize_ops.h"
#include "ops/resource_variable_ops.h"
#include "ops/roll_ops.h"
#include "ops/save_restore_ops.h"
#include "ops/scan_ops.h"
#include "ops/scatter_nd_ops.h"
#include "ops/segment_ops.h"
#include "ops/select_ops.h"
#include "ops/sequence_example_ops.h"
#include "ops/serialize_ops.h"
#include "ops/session_tensor_ops.h"
#include "ops/set_ops.h"
#include "ops/shape_ops.h"
#include "ops/slicing_ops.h"
#include "ops/softmax_ops.h"
#include "ops/sparse_cross_ops.h"
#include "ops/sparse_layout_ops.h"
#include "ops/sparse_math_ops.h"
#include "ops/sparse_matmul_ops.h"
#include "ops/sparse_segment_ops.h"
#include "ops/sparse_tensors_map_ops.h"
#include "ops/special_math_ops.h"
#include "ops/spectral_ops.h"
#include "ops/stack_ops.h"
#include "ops/stage_ops.h"
#include "ops/stateless_random_ops.h"
#include "ops/string_join_ops.h"
#include "ops/string_match_ops.h"
#include "ops/string_ops.h"
#include "ops/string_split_ops.h"
#include "ops/summary_ops.h"
#include "ops/tensor_array_ops.h"
#include "ops/tensor_list_bulk_ops.h"
#include "ops/tensor_list_ops.h"
#include "ops/tensor_map_ops.h"
#include "ops/top_k_ops.h"
#include "ops/transpose_ops.h"
#include "ops/truncated_normal_ops.h"
#include "ops/unary_math_ops.h"
#include "ops/unicode_ops.h"
#include "ops/unique_ops.h"
#include "ops/unravel_index_ops.h"
#include "ops/variable_ops.h"
#include "ops/variable_slice_ops.h"
#include "ops/volume_ops.h"

namespace flowlatch {

absl::Status RegisterAllOps(OpLibrary& library) {
  RETURN_IF_ERROR(RegisterAccumulatorOps(library));
  RETURN_IF_ERROR(RegisterActivationOps(library));
  RETURN_IF_ERROR(RegisterApproxTopKOps(library));
  RETURN_IF_ERROR(RegisterArgOps(library));
  RETURN_IF_ERROR(RegisterAudioOps(library));
  RETURN_IF_ERROR(RegisterBandedSolveOps(library));
  RETURN_IF_ERROR(RegisterBarrierOps(library));
  RETURN_IF_ERROR(RegisterBase64Ops(library));
  RETURN_IF_ERROR(RegisterBasicArrayOps(library));
  RETURN_IF_ERROR(RegisterBatchNormOps(library));
  RETURN_IF_ERROR(RegisterBetaOps(library));
  RETURN_IF_ERROR(RegisterBiasOps(library));
  RETURN_IF_ERROR(RegisterBinaryMathOps(library));
  RETURN_IF_ERROR(RegisterBincountOps(library));
  RETURN_IF_ERROR(RegisterBucketOps(library));
  RETURN_IF_ERROR(RegisterCandidateOps(library));
  RETURN_IF_ERROR(RegisterCastOps(library));
  RETURN_IF_ERROR(RegisterColorOps(library));
  RETURN_IF_ERROR(RegisterCompositeTensorOps(library));
  RETURN_IF_ERROR(RegisterControlFlowOps(library));
  RETURN_IF_ERROR(RegisterConvOps(library));
  RETURN_IF_ERROR(RegisterGeneralConvOps(library));
  RETURN_IF_ERROR(RegisterCountOps(library));
  RETURN_IF_ERROR(RegisterCropOps(library));
  RETURN_IF_ERROR(RegisterCsvOps(library));
  RETURN_IF_ERROR(RegisterCtcOps(library));
  RETURN_IF_ERROR(RegisterDataFormatOps(library));
  RETURN_IF_ERROR(RegisterDatasetBatchOps(library));
  RETURN_IF_ERROR(RegisterDatasetFileOps(library));
  RETURN_IF_ERROR(RegisterDatasetFunctionOps(library));
  RETURN_IF_ERROR(RegisterDatasetOrderOps(library));
  RETURN_IF_ERROR(RegisterDatasetReduceOps(library));
  RETURN_IF_ERROR(RegisterDatasetShuffleOps(library));
  RETURN_IF_ERROR(RegisterDatasetSourceOps(library));
  RETURN_IF_ERROR(RegisterDecodeOps(library));
  RETURN_IF_ERROR(RegisterDetectionOps(library));
  RETURN_IF_ERROR(RegisterDeterminantOps(library));
  RETURN_IF_ERROR(RegisterDiagOps(library));
  RETURN_IF_ERROR(RegisterDilationOps(library));
  RETURN_IF_ERROR(RegisterDynamicOps(library));
  RETURN_IF_ERROR(RegisterEditDistanceOps(library));
  RETURN_IF_ERROR(RegisterEinsumOps(library));
  RETURN_IF_ERROR(RegisterEnvironmentOps(library));
  RETURN_IF_ERROR(RegisterExampleOps(library));
  RETURN_IF_ERROR(RegisterSequenceExampleOps(library));
  RETURN_IF_ERROR(RegisterFactorizationOps(library));
  RETURN_IF_ERROR(RegisterFakeQuantOps(library));
  RETURN_IF_ERROR(RegisterFftOps(library));
  RETURN_IF_ERROR(RegisterFileOps(library));
  RETURN_IF_ERROR(RegisterFractionalPoolOps(library));
  RETURN_IF_ERROR(RegisterFunctionOps(library));
  RETURN_IF_ERROR(RegisterGatherOps(library));
  RETURN_IF_ERROR(RegisterGlobalNormOps(library));
  RETURN_IF_ERROR(RegisterImageCodecOps(library));
  RETURN_IF_ERROR(RegisterImageTransformOps(library));
  RETURN_IF_ERROR(RegisterInplaceOps(library));
  RETURN_IF_ERROR(RegisterIsotonicOps(library));
  RETURN_IF_ERROR(RegisterIteratorOps(library));
  RETURN_IF_ERROR(RegisterJoiningOps(library));
  RETURN_IF_ERROR(RegisterLoggingOps(library));
  RETURN_IF_ERROR(RegisterLookupOps(library));
  RETURN_IF_ERROR(RegisterLrnOps(library));
  RETURN_IF_ERROR(RegisterMatMulOps(library));
  RETURN_IF_ERROR(RegisterMatrixDiagOps(library));
  RETURN_IF_ERROR(RegisterMatrixFunctionOps(library));
  RETURN_IF_ERROR(RegisterMatrixSolveOps(library));
  RETURN_IF_ERROR(RegisterMutexOps(library));
  RETURN_IF_ERROR(RegisterOptimizerOps(library));
  RETURN_IF_ERROR(RegisterOptionalOps(library));
  RETURN_IF_ERROR(RegisterPaddingOps(library));
  RETURN_IF_ERROR(RegisterPatchOps(library));
  RETURN_IF_ERROR(RegisterPoolOps(library));
  RETURN_IF_ERROR(RegisterQuantizeOps(library));
  RETURN_IF_ERROR(RegisterQuantizedConcatOps(library));
  RETURN_IF_ERROR(RegisterQuantizedImageOps(library));
  RETURN_IF_ERROR(RegisterQuantizedMathOps(library));
  RETURN_IF_ERROR(RegisterQueueOps(library));
  RETURN_IF_ERROR(RegisterRaggedOps(library));
  RETURN_IF_ERROR(RegisterRaggedVariantOps(library));
  RETURN_IF_ERROR(RegisterRaggedLayoutOps(library));
  RETURN_IF_ERROR(RegisterRandomDistributionOps(library));
  RETURN_IF_ERROR(RegisterTruncatedNormalOps(library));
  RETURN_IF_ERROR(RegisterBoxSampleOps(library));
  RETURN_IF_ERROR(RegisterRandomOps(library));
  RETURN_IF_ERROR(RegisterRandomShuffleOps(library));
  RETURN_IF_ERROR(RegisterRecurrentOps(library));
  RETURN_IF_ERROR(RegisterReduceOps(library));
  RETURN_IF_ERROR(RegisterRemoteCallOps(library));
  RETURN_IF_ERROR(RegisterRequantizeOps(library));
  RETURN_IF_ERROR(RegisterResizeOps(library));
  RETURN_IF_ERROR(RegisterResourceVariableOps(library));
  RETURN_IF_ERROR(RegisterRollOps(library));
  RETURN_IF_ERROR(RegisterSaveRestoreOps(library));
  RETURN_IF_ERROR(RegisterScanOps(library));
  RETURN_IF_ERROR(RegisterScatterNdOps(library));
  RETURN_IF_ERROR(RegisterSegmentOps(library));
  RETURN_IF_ERROR(RegisterSelectOps(library));
  RETURN_IF_ERROR(RegisterSerializeOps(library));
  RETURN_IF_ERROR(RegisterSessionTensorOps(library));
  RETURN_IF_ERROR(RegisterSetOps(library));
  RETURN_IF_ERROR(RegisterShapeOps(library));
  RETURN_IF_ERROR(RegisterSlicingOps(library));
  RETURN_IF_ERROR(RegisterSoftmaxOps(library));
  RETURN_IF_ERROR(RegisterSparseCrossOps(library));
  RETURN_IF_ERROR(RegisterSparseLayoutOps(library));
  RETURN_IF_ERROR(RegisterSparseMatMulOps(library));
  RETURN_IF_ERROR(RegisterSparseMathOps(library));
  RETURN_IF_ERROR(RegisterSparseSegmentOps(library));
  RETURN_IF_ERROR(RegisterSparseTensorsMapOps(library));
  RETURN_IF_ERROR(RegisterSpecialMathOps(library));
  RETURN_IF_ERROR(RegisterSpectralOps(library));
  RETURN_IF_ERROR(RegisterStackOps(library));
  RETURN_IF_ERROR(RegisterStageOps(library));
  RETURN_IF_ERROR(RegisterStatelessRandomOps(library));
  RETURN_IF_ERROR(RegisterStringJoinOps(library));
  RETURN_IF_ERROR(RegisterStringMatchOps(library));
  RETURN_IF_ERROR(RegisterStringOps(library));
  RETURN_IF_ERROR(RegisterStringSplitOps(library));
  RETURN_IF_ERROR(RegisterSummaryOps(library));
  RETURN_IF_ERROR(RegisterTensorArrayOps(library));
  RETURN_IF_ERROR(RegisterTensorListBulkOps(library));
  RETURN_IF_ERROR(RegisterTensorListOps(library));
  RETURN_IF_ERROR(RegisterTensorMapOps(library));
  RETURN_IF_ERROR(RegisterTopKOps(library));
  RETURN_IF_ERROR(RegisterTransposeOps(library));
  RETURN_IF_ERROR(RegisterUnaryMathOps(library));
  RETURN_IF_ERROR(RegisterUnicodeOps(library));
  RETURN_IF_ERROR(RegisterUniqueOps(library));
  RETURN_IF_ERROR(RegisterUnravelIndexOps(library));
  RETURN_IF_ERROR(RegisterVariableOps(library));
  RETURN_IF_ERROR(RegisterVariableSliceOps(library));
  return RegisterVolumeOps(library);
}

const OpLibrary& DefaultOps() {
  static const OpLibrary* ops = [] {
    auto* library = new OpLibrary;
    const absl::Status status = RegisterAllOps(*library);
    if (!status.ok()) {  // a bug in a family, found by its test
      std::fprintf(stderr, "flowlatch: %s\n", status.ToString().c_str());
      std::abort();
    }
    return library;
  }();
  return *ops;
}

}  // namespace flowlatch
