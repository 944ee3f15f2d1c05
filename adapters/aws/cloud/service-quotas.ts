/** The calls of Service Quotas. */
import { GetServiceQuotaCommand, ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { flag, number, record, text } from './decode.ts';
import { given } from './given.ts';
import type { ClientConfig, Operations } from './operations.ts';

const quota = { ServiceCode: text, QuotaCode: text, QuotaName: text, Value: number, Adjustable: flag };

export const operations = (config: ClientConfig): Operations<'servicequotas'> => {
  const client = new ServiceQuotasClient(config);
  return {
    GetServiceQuota: (input) =>
      client.send(new GetServiceQuotaCommand(given(input))).then(record({ Quota: record(quota) })),
  };
};
