/** The annotations by which users say what a node of a pool without nodes is like. Pure. */
const domain = 'capacity.cluster-autoscaler.kubernetes.io';

export const capacity = {
  cpu: `${domain}/cpu`,
  memory: `${domain}/memory`,
  disk: `${domain}/ephemeral-disk`,
  pods: `${domain}/maxPods`,
  gpus: `${domain}/gpu-count`,
  gpuType: `${domain}/gpu-type`,
  labels: `${domain}/labels`,
  taints: `${domain}/taints`,
} as const;

/** Those whose value is a quantity. */
export const capacityAnnotations = [capacity.cpu, capacity.memory, capacity.disk, capacity.pods, capacity.gpus];
