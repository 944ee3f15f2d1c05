/** Faults of what definitions and configurations say about webhooks. */
import { invalid, required } from './faults.ts';
import type { FieldError } from './kind.ts';
import type { WebhookClientConfig } from './webhook.ts';

const label =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const labelForm = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** Why a text is no label as names of versions and resources are. */
export const labelFaults = (text: string): string[] => [
  ...(text.length > 63 ? ['must be no more than 63 characters'] : []),
  ...(labelForm.test(text) ? [] : [label]),
];

const form = '; desired format: https://host[/path]';

const urlFaults = (text: string, field: string): FieldError[] => {
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

const serviceFaults = (service: NonNullable<WebhookClientConfig['service']>, field: string): FieldError[] => {
  const { name, namespace, port = 443, path } = service;
  const errors: FieldError[] = [];
  if (!name) errors.push(required(`${field}.name`));
  if (!namespace) errors.push(required(`${field}.namespace`));
  if (!(port >= 1 && port <= 65535))
    errors.push(invalid(`${field}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'));
  if (path && !path.startsWith('/')) errors.push(invalid(`${field}.path`, path, "must start with a '/'"));
  return errors;
};

export const clientFaults = ({ url, service }: WebhookClientConfig, field: string): FieldError[] => {
  if ((url === undefined) === (service === undefined))
    return [required(field, 'exactly one of url or service is required')];
  return url === undefined ? serviceFaults(service!, `${field}.service`) : urlFaults(url, `${field}.url`);
};

/** Versions of reviews, of which the server knows two. `detail`: for a list without any. */
export const reviewVersionFaults = (versions: readonly string[], field: string, detail = ''): FieldError[] => {
  if (versions.length === 0) return [required(field, detail)];
  const errors = versions.flatMap((version, i): FieldError[] => {
    if (versions.indexOf(version) < i) return [invalid(`${field}[${i}]`, version, 'duplicate version')];
    return labelFaults(version).map((fault) => invalid(`${field}[${i}]`, version, fault));
  });
  const isKnown = versions.some((version) => version === 'v1' || version === 'v1beta1');
  return isKnown ? errors : [...errors, invalid(field, versions, 'must include at least one of v1, v1beta1')];
};
