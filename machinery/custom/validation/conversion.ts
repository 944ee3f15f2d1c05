/** Validates how a definition converts its objects. */

import { forbidden, notSupported, required } from '../../api/faults.ts';
import type { FieldError } from '../../api/kind.ts';
import { clientFaults, reviewVersionFaults } from '../../api/webhook-faults.ts';
import type { Conversion } from '../definition.ts';

export const conversionErrors = (conversion: Partial<Conversion> | undefined): FieldError[] => {
  const field = 'spec.conversion';
  if (!conversion) return [];
  const { strategy, webhook } = conversion;
  if (!strategy) return [required(`${field}.strategy`)];
  if (strategy !== 'None' && strategy !== 'Webhook')
    return [notSupported(`${field}.strategy`, strategy, ['None', 'Webhook'])];
  const config = `${field}.webhookClientConfig`;
  if (strategy === 'Webhook')
    return [
      ...(webhook?.clientConfig
        ? clientFaults(webhook.clientConfig, config)
        : [required(config, 'required when strategy is set to Webhook')]),
      ...reviewVersionFaults(webhook?.conversionReviewVersions ?? [], `${field}.conversionReviewVersions`),
    ];
  const why = 'should not be set when strategy is not set to Webhook';
  return [
    ...(webhook?.clientConfig ? [forbidden(config, why)] : []),
    ...(webhook?.conversionReviewVersions?.length ? [forbidden(`${field}.conversionReviewVersions`, why)] : []),
  ];
};
