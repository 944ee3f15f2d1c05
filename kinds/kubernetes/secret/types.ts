/** The required keys of the well-known Secret types. */

import type { FieldError } from '../../../machinery/api/kind.ts';
import { accountNameAnnotation, tokenSecretType } from '../../../machinery/api/service-account.ts';
import type { Secret } from './schema.ts';

const missing = (field: string): FieldError => ({ reason: 'FieldValueRequired', field, detail: '' });
const missingKeys = ({ data = {} }: Secret, keys: string[]): FieldError[] =>
  keys.filter((key) => !Object.hasOwn(data, key)).map((key) => missing(`data[${key}]`));

const isJsonObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value);
  } catch {
    return false;
  }
};

const jsonKey = (secret: Secret, key: string): FieldError[] => {
  const absent = missingKeys(secret, [key]);
  if (absent.length > 0 || isJsonObject(Buffer.from(secret.data?.[key] ?? '', 'base64').toString())) return absent;
  const detail = 'invalid character in JSON';
  return [{ reason: 'FieldValueInvalid', field: `data[${key}]`, value: '<secret contents redacted>', detail }];
};

export const typeErrors = (secret: Secret): FieldError[] => {
  switch (secret.type) {
    case tokenSecretType:
      return secret.metadata.annotations?.[accountNameAnnotation]
        ? []
        : [missing(`metadata.annotations[${accountNameAnnotation}]`)];
    case 'kubernetes.io/dockercfg':
      return jsonKey(secret, '.dockercfg');
    case 'kubernetes.io/dockerconfigjson':
      return jsonKey(secret, '.dockerconfigjson');
    case 'kubernetes.io/basic-auth': {
      const absent = missingKeys(secret, ['username', 'password']);
      return absent.length === 2 ? absent : [];
    }
    case 'kubernetes.io/ssh-auth':
      return secret.data?.['ssh-privatekey'] ? [] : [missing('data[ssh-privatekey]')];
    case 'kubernetes.io/tls':
      return missingKeys(secret, ['tls.crt', 'tls.key']);
    default:
      return [];
  }
};
