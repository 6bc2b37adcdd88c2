// What events of the host tell about the GPU: that there is one, and why it stands still.

/** What an event of the host is, as far as it says why the GPU waits. */
export const plainHost = 0;
/** The program waits for its next batch. */
export const inputHost = 1;
/** Code is being compiled. */
export const compileHost = 2;
/** The host waits until the GPU is done. */
export const waitHost = 3;
/** The host itself exchanges data with other processes. */
export const exchangeHost = 4;

// torch: `enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__`; TensorFlow: the op that hands over a batch.
const input = /^enumerate\(DataLoader\)|^IteratorGetNext(?:Sync|AsOptional)?(?::|$)|^IteratorGetNextOp::/;
// torch: dynamo and inductor; JAX and TensorFlow: XLA's compiler, as PjRt or the op calls it.
const compiling =
  /^(?!CUDAGraph).*\(dynamo_timed\)$|^entire_frame_compile$|^backend_compile(?:_and_load)?$|^PjRt\w*::Compile|^PJRT_Client_Compile|^XlaCompil|::CompileInternal$|^XlaLaunch::Compile|^GpuCompiler::/;
const waiting =
  /^(?:cuda|cu|hip)(?:Device|Stream|Event|Ctx)Synchronize|^cudaMemcpy(?:_v\d+)?$|^hipMemcpy(?:WithStream)?$|^cuMemcpy(?:HtoD|DtoH|DtoD)?(?:_v\d+)?$/;

// torch names its ranges by the backend; NCCL's run on the GPU.
const exchanging = /^(?:gloo|mpi|ucc):/;

/** What an event of this name is. */
export function hostKind(name: string): number {
  if (waiting.test(name)) return waitHost;
  if (input.test(name)) return inputHost;
  if (exchanging.test(name)) return exchangeHost;
  return compiling.test(name) ? compileHost : plainHost;
}

/** An operator of torch that runs on GPUs alone: NCCL's collectives, memory of streams, cuDNN's and MIOpen's own, attention of CUDA's. */
export const isGpuOperator = (name: string) =>
  /^(?:nccl|rccl):|^aten::record_stream$|^aten::(?:cudnn|miopen)_(?:convolution|batch_norm)|^aten::(?:_cudnn|miopen)_rnn|^aten::_(?:flash|efficient)_attention_(?:forward|backward)$|^aten::_scaled_dot_product_(?:efficient|cudnn)_attention/.test(
    name,
  );

/** Whether a compiler made this code: torch.compile's regions and Triton's kernels. */
export const isCompiled = (name: string) =>
  /^Torch-Compiled Region|^## Call CompiledFxGraph|^CompiledFunction(?:Backward)?$|^triton_(?:poi|red|per|tem|unk|mm)_/.test(name);
