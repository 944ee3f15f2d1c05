/** What the API server asks of names. */
import type { KindDefinition } from './kind.ts';

export const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const label = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

export const tooLong = (most: number) => `must be no more than ${most} characters`;

export const subdomainFaults = (name: string): string[] => [
  ...(name.length > 253 ? [tooLong(253)] : []),
  ...(subdomain.test(name) ? [] : [subdomainText]),
];

/** Why this name is invalid for the kind. `prefix`: more characters follow it. */
export const nameFaults = (rule: KindDefinition['names'], name: string, prefix = false): string[] => {
  const tested = prefix && name.endsWith('-') ? `${name.slice(0, -1)}a` : name;
  switch (rule ?? 'subdomain') {
    case 'subdomain':
      return subdomainFaults(tested);
    case 'label':
      return [
        ...(tested.length > 63 ? [tooLong(63)] : []),
        ...(label.test(tested) ? [] : [subdomain.test(tested) ? 'must not contain dots' : labelText]),
      ];
    case 'path':
      if (tested === '.' || tested === '..') return [`may not be '${tested}'`];
      return ['/', '%'].filter((bad) => tested.includes(bad)).map((bad) => `may not contain '${bad}'`);
  }
};
