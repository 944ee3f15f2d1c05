/** Validates how a definition converts its objects. */
import type { FieldError } from '../../api/kind.ts';
import type { Conversion, WebhookClientConfig } from '../definition.ts';
import { forbidden, invalid, notSupported, required } from './faults.ts';
import { labelFaults } from './names.ts';

const form = '; desired format: https://host[/path]';

/** Faults of a webhook's URL. */
export const urlErrors = (text: string, field: string): FieldError[] => {
  if (!URL.canParse(text))
    return [required(field, `url must be a valid URL: parse ${JSON.stringify(text)}: invalid URI for request${form}`)];
  const url = new URL(text);
  const errors: FieldError[] = [];
  const scheme = url.protocol.slice(0, -1);
  if (scheme !== 'https') errors.push(invalid(field, scheme, `'https' is the only allowed URL scheme${form}`));
  if (url.host === '') errors.push(invalid(field, '', `host must be specified${form}`));
  if (url.username || url.password)
    errors.push(invalid(field, url.username, 'user information is not permitted in the URL'));
  if (url.hash) errors.push(invalid(field, url.hash.slice(1), 'fragments are not permitted in the URL'));
  if (url.search) errors.push(invalid(field, url.search.slice(1), 'query parameters are not permitted in the URL'));
  return errors;
};

const serviceErrors = (service: NonNullable<WebhookClientConfig['service']>, field: string): FieldError[] => {
  const { name, namespace, port = 443, path } = service;
  const errors: FieldError[] = [];
  if (!name) errors.push(required(`${field}.name`));
  if (!namespace) errors.push(required(`${field}.namespace`));
  if (!(port >= 1 && port <= 65535))
    errors.push(invalid(`${field}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'));
  if (path && !path.startsWith('/')) errors.push(invalid(`${field}.path`, path, "must start with a '/'"));
  return errors;
};

const configErrors = (config: WebhookClientConfig | undefined, field: string): FieldError[] => {
  if (!config) return [required(field, 'required when strategy is set to Webhook')];
  const { url, service } = config;
  if ((url === undefined) === (service === undefined))
    return [required(field, 'exactly one of url or service is required')];
  return url === undefined ? serviceErrors(service!, `${field}.service`) : urlErrors(url, `${field}.url`);
};

const versionsErrors = (versions: readonly string[], field: string): FieldError[] => {
  if (versions.length === 0) return [required(field)];
  const errors = versions.flatMap((version, i): FieldError[] => {
    if (versions.indexOf(version) < i) return [invalid(`${field}[${i}]`, version, 'duplicate version')];
    return labelFaults(version).map((fault) => invalid(`${field}[${i}]`, version, fault));
  });
  const isKnown = versions.some((version) => version === 'v1' || version === 'v1beta1');
  return isKnown ? errors : [...errors, invalid(field, versions, 'must include at least one of v1, v1beta1')];
};

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
      ...configErrors(webhook?.clientConfig, config),
      ...versionsErrors(webhook?.conversionReviewVersions ?? [], `${field}.conversionReviewVersions`),
    ];
  const why = 'should not be set when strategy is not set to Webhook';
  return [
    ...(webhook?.clientConfig ? [forbidden(config, why)] : []),
    ...(webhook?.conversionReviewVersions?.length ? [forbidden(`${field}.conversionReviewVersions`, why)] : []),
  ];
};
