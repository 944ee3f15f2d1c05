/** Calls of Service Quotas. */
import {
  GetAWSDefaultServiceQuotaCommand,
  GetServiceQuotaCommand,
  NoSuchResourceException,
  ServiceQuotasClient,
} from '@aws-sdk/client-service-quotas';
import { flag, number, record, text } from './decode.ts';
import type { ClientConfig, Operations } from './operations.ts';
import { given } from './sdk-input.ts';

const quota = { ServiceCode: text, QuotaCode: text, QuotaName: text, Value: number, Adjustable: flag };

export const operations = (config: ClientConfig): Operations<'servicequotas'> => {
  const client = new ServiceQuotasClient(config);
  return {
    GetServiceQuota: (input) =>
      client
        .send(new GetServiceQuotaCommand(given(input)))
        .catch((error: unknown) => {
          // The quota was never changed, so its default applies.
          if (error instanceof NoSuchResourceException)
            return client.send(new GetAWSDefaultServiceQuotaCommand(given(input)));
          throw error;
        })
        .then(record({ Quota: record(quota) })),
  };
};
