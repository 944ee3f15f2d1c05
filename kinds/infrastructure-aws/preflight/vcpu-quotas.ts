/** The quota of vCPUs that an instance counts against, by its family and market. Pure. */
import { isSpot } from '../aws-machine/market.ts';
import type { AWSMachineSpec } from '../aws-machine/schema.ts';

type Family = { letters: RegExp; name: string; onDemand: string; spot?: string };

const families: readonly Family[] = [
  { letters: /^([acdhmrtz]|i[ms]?)$/, name: 'Standard', onDemand: 'L-1216C47A', spot: 'L-34B43A08' },
  { letters: /^(gr?|vt)$/, name: 'G and VT', onDemand: 'L-DB2E81BA', spot: 'L-3819A6DF' },
  { letters: /^p$/, name: 'P', onDemand: 'L-417A185B', spot: 'L-7212CCBC' },
  { letters: /^inf$/, name: 'Inf', onDemand: 'L-1945791B', spot: 'L-B5D1601B' },
  { letters: /^trn$/, name: 'Trn', onDemand: 'L-2C3B7624', spot: 'L-6B0D517C' },
  { letters: /^x$/, name: 'X', onDemand: 'L-7295265B', spot: 'L-E3A00192' },
  { letters: /^f$/, name: 'F', onDemand: 'L-74FC7D96', spot: 'L-88CF9481' },
  { letters: /^dl$/, name: 'DL', onDemand: 'L-6E869C2A', spot: 'L-85EED4F7' },
  { letters: /^u$/, name: 'High Memory', onDemand: 'L-43DA4232' },
  { letters: /^hpc$/, name: 'HPC', onDemand: 'L-F7808C92' },
];

export type VcpuQuota = { ServiceCode: 'ec2'; QuotaCode: string; name: string };

/** Undefined for families without such a quota, such as Mac instances, which need a host. */
export const vcpuQuotaOf = ({ instanceType = '', ...market }: Partial<AWSMachineSpec>): VcpuQuota | undefined => {
  const [letters = ''] = /^[a-z]+/.exec(instanceType) ?? [];
  const family = families.find((one) => one.letters.test(letters));
  if (!family) return undefined;
  const { name, onDemand, spot } = family;
  if (!isSpot(market))
    return { ServiceCode: 'ec2', QuotaCode: onDemand, name: `vCPUs of running On-Demand ${name} instances` };
  return spot === undefined
    ? undefined
    : { ServiceCode: 'ec2', QuotaCode: spot, name: `vCPUs of ${name} Spot Instances` };
};
