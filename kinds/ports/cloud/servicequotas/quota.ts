/** Quotas of the account. */

export interface QuotaActions {
  /** Service Quotas: the account's limit in a region. */
  GetServiceQuota: [
    { ServiceCode: 'ec2' | 'vpc'; QuotaCode: string },
    { Quota: { ServiceCode: string; QuotaCode: string; QuotaName: string; Value: number; Adjustable: boolean } },
  ];
}
