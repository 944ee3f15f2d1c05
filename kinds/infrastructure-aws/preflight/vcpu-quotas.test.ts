import { describe, expect, it } from 'vitest';
import { vcpuQuotaOf } from './vcpu-quotas.ts';

describe('the quota of vCPUs', () => {
  it.each([
    ['m5.large', 'L-1216C47A', 'L-34B43A08'],
    ['t4g.small', 'L-1216C47A', 'L-34B43A08'],
    ['c7gn.16xlarge', 'L-1216C47A', 'L-34B43A08'],
    ['im4gn.large', 'L-1216C47A', 'L-34B43A08'],
    ['is4gen.medium', 'L-1216C47A', 'L-34B43A08'],
    ['g5.xlarge', 'L-DB2E81BA', 'L-3819A6DF'],
    ['gr6.4xlarge', 'L-DB2E81BA', 'L-3819A6DF'],
    ['vt1.3xlarge', 'L-DB2E81BA', 'L-3819A6DF'],
    ['p5.48xlarge', 'L-417A185B', 'L-7212CCBC'],
    ['inf2.xlarge', 'L-1945791B', 'L-B5D1601B'],
    ['trn1.2xlarge', 'L-2C3B7624', 'L-6B0D517C'],
    ['x2gd.large', 'L-7295265B', 'L-E3A00192'],
    ['f2.6xlarge', 'L-74FC7D96', 'L-88CF9481'],
    ['dl1.24xlarge', 'L-6E869C2A', 'L-85EED4F7'],
    ['u-6tb1.metal', 'L-43DA4232', undefined],
    ['u7i-12tb.224xlarge', 'L-43DA4232', undefined],
    ['hpc7g.4xlarge', 'L-F7808C92', undefined],
    ['mac2.metal', undefined, undefined],
    ['', undefined, undefined],
  ])('of %s is %s on demand and %s on spot', (instanceType, onDemand, spot) => {
    expect(vcpuQuotaOf({ instanceType })?.QuotaCode).toBe(onDemand);
    expect(vcpuQuotaOf({ instanceType, spotMarketOptions: {} })?.QuotaCode).toBe(spot);
  });
});
