/** Service Quotas: the limits of a region, as callers read them and as the account applies them. */
import type { CloudOutput } from '../../kinds/ports/cloud/index.ts';
import type { Quotas } from './behaviour.ts';
import { refuse } from './errors.ts';
import type { Handlers } from './state.ts';

type Quota = CloudOutput<'GetServiceQuota'>['Quota'];

const known: (Pick<Quota, 'ServiceCode' | 'QuotaCode' | 'QuotaName'> & { limit: keyof Quotas })[] = [
  { ServiceCode: 'vpc', QuotaCode: 'L-F678F1CE', QuotaName: 'VPCs per Region', limit: 'vpcs' },
  {
    ServiceCode: 'vpc',
    QuotaCode: 'L-A4707A72',
    QuotaName: 'Internet gateways per Region',
    limit: 'internetGateways',
  },
  {
    ServiceCode: 'vpc',
    QuotaCode: 'L-FE5A380F',
    QuotaName: 'NAT gateways per Availability Zone',
    limit: 'natGatewaysPerZone',
  },
  { ServiceCode: 'ec2', QuotaCode: 'L-0263D0A3', QuotaName: 'EC2-VPC Elastic IPs', limit: 'addresses' },
  {
    ServiceCode: 'ec2',
    QuotaCode: 'L-1216C47A',
    QuotaName: 'Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances',
    limit: 'vcpus',
  },
  {
    ServiceCode: 'ec2',
    QuotaCode: 'L-34B43A08',
    QuotaName: 'All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests',
    limit: 'spotVcpus',
  },
];

export const quotaActions = {
  GetServiceQuota: ({ account }, { ServiceCode, QuotaCode }) => {
    const quota =
      known.find((one) => one.ServiceCode === ServiceCode && one.QuotaCode === QuotaCode) ??
      refuse('NoSuchResourceException', 'The request failed because the specified service quota does not exist.');
    const { limit, ...fields } = quota;
    return { Quota: { ...fields, Value: account.behaviour.quotas[limit], Adjustable: true } };
  },
} satisfies Handlers;
