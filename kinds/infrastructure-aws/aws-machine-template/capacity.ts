import type { InstanceTypeInfo } from '../../ports/cloud/index.ts';
import type { AWSMachineTemplateStatus } from './schema.ts';

/** The capacity by resource name, as Kubernetes quantities. */
export const capacityOf = ({
  VCpuInfo,
  MemoryInfo,
  GpuInfo,
}: InstanceTypeInfo): AWSMachineTemplateStatus['capacity'] => {
  const gpus = GpuInfo?.Gpus.filter(({ Manufacturer }) => /nvidia/i.test(Manufacturer)) ?? [];
  const count = gpus.reduce((sum, { Count }) => sum + Count, 0);
  return {
    cpu: String(VCpuInfo.DefaultVCpus),
    memory: `${MemoryInfo.SizeInMiB}Mi`,
    ...(count > 0 && { 'nvidia.com/gpu': String(count) }),
  };
};

export const nodeInfoOf = ({ ProcessorInfo }: InstanceTypeInfo): AWSMachineTemplateStatus['nodeInfo'] => ({
  architecture: ProcessorInfo.SupportedArchitectures.includes('arm64') ? 'arm64' : 'amd64',
  operatingSystem: 'linux',
});
