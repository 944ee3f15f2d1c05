/** Instance types and where they are offered. */
import type { Calls } from '../call.ts';
import type { Filter, Page } from '../shared.ts';

export type InstanceTypeInfo = {
  InstanceType: string;
  VCpuInfo: { DefaultVCpus: number };
  MemoryInfo: { SizeInMiB: number };
  ProcessorInfo: { SupportedArchitectures: string[]; SupportedFeatures?: string[] };
  NetworkInfo?: { EfaSupported?: boolean };
  GpuInfo?: { Gpus: { Name: string; Manufacturer: string; Count: number }[] };
};
export interface InstanceTypeActions {
  DescribeInstanceTypes: [{ InstanceTypes: string[] }, { InstanceTypes: InstanceTypeInfo[] }];
  DescribeInstanceTypeOfferings: [
    { LocationType: 'availability-zone'; Filters?: Filter[] } & Page,
    { InstanceTypeOfferings: { InstanceType: string; Location: string }[]; NextToken?: string },
  ];
}

export const instanceTypeCalls = {
  DescribeInstanceTypes: {},
  DescribeInstanceTypeOfferings: {},
} as const satisfies Calls<InstanceTypeActions>;
