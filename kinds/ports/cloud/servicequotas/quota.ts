/** Quotas of the account. */
import type { Calls } from '../call.ts';

export interface QuotaActions {
  /** Service Quotas: the account's limit in a region. */
  GetServiceQuota: [
    { ServiceCode: 'ec2' | 'vpc'; QuotaCode: string },
    { Quota: { ServiceCode: string; QuotaCode: string; QuotaName: string; Value: number; Adjustable: boolean } },
  ];
}

export const quotaCalls = {
  // Service Quotas has no applied value where the default applies.
  GetServiceQuota: { also: ['servicequotas:GetAWSDefaultServiceQuota'] },
} as const satisfies Calls<QuotaActions>;
