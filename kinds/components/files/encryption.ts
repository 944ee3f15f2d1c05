/** The encryption of stored objects by an API server. Pure. */
import { type Arg, pairsOf } from '../fault.ts';
import { anything, duration, integer, list, object, text } from '../shape.ts';
import { type Fields, type FileType, fieldsOf, listOf, type Program, textOf, textsOf } from './document.ts';

const keySizes: Record<string, number[]> = { aesgcm: [16, 24, 32], aescbc: [16, 24, 32], secretbox: [32] };
const providers = [...Object.keys(keySizes), 'kms', 'identity'];

/** Bytes of a base64 text; undefined if it is none. */
const sizeOf = (secret: string): number | undefined => {
  const bare = secret.replace(/[\r\n]/g, '');
  if (bare.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(bare)) return undefined;
  return (bare.length / 4) * 3 - (/=*$/.exec(bare)?.[0].length ?? 0);
};

const faultsOfKey = (at: string, { name, secret }: Fields, sizes: readonly number[]): string[] => {
  const nameless = textOf(name) === '' ? [`${at}.name: Required value: name is a mandatory field for a key`] : [];
  if (textOf(secret) === '')
    return [...nameless, `${at}.secret: Required value: secret is a mandatory field for a key`];
  const size = sizeOf(textOf(secret));
  if (size === undefined) return [...nameless, `${at}.secret: Invalid value: secrets must be base64 encoded`];
  if (sizes.includes(size)) return nameless;
  const wanted = sizes.join(' ');
  return [
    ...nameless,
    `${at}.secret: Invalid value: secret is not of the expected length, got ${size}, expected one of [${wanted}]`,
  ];
};

const hasKmsV1 = (args: readonly Arg[]): boolean =>
  pairsOf(args, 'feature-gates').some(([gate, value]) => gate === 'KMSv1' && value === 'true');

const faultsOfKms = (at: string, kms: Fields, { minor, args }: Program): string[] => {
  const version = textOf(kms.apiVersion) || 'v1';
  const name = textOf(kms.name);
  const endpoint = textOf(kms.endpoint);
  return [
    ...(name === '' ? [`${at}.name: Required value: name is a mandatory field for a provider`] : []),
    ...(version !== 'v1' && name.includes(':')
      ? [`${at}.name: Invalid value: invalid KMS provider name ${name}, must not contain ':'`]
      : []),
    ...(endpoint === '' ? [`${at}.endpoint: Invalid value: endpoint is a mandatory field for a kms`] : []),
    ...(endpoint !== '' && !endpoint.startsWith('unix:')
      ? [`${at}.endpoint: Invalid value: unsupported scheme for KMS provider, only unix is supported`]
      : []),
    ...(version !== 'v1' && version !== 'v2'
      ? [`${at}.apiVersion: Invalid value: unsupported apiVersion ${version}`]
      : []),
    ...(version === 'v2' && kms.cachesize !== undefined && kms.cachesize !== null
      ? [`${at}.cachesize: Invalid value: cachesize is not supported in v2`]
      : []),
    ...(version === 'v1' && minor >= 29 && !hasKmsV1(args)
      ? [`${at}: KMSv1 is deprecated and will only receive security updates, use KMSv2`]
      : []),
  ];
};

const faultsOfProvider = (at: string, provider: Fields, program: Program): string[] => {
  const given = providers.filter((name) => provider[name] !== undefined && provider[name] !== null);
  const [name = ''] = given;
  if (given.length !== 1)
    return [
      given.length === 0
        ? `${at}: Invalid value: provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity`
        : `${at}: Invalid value: more than one provider specified in a single element, should split into different list elements`,
    ];
  if (name === 'kms') return faultsOfKms(`${at}.kms`, fieldsOf(provider.kms), program);
  const sizes = keySizes[name];
  if (!sizes) return [];
  const keys = listOf(fieldsOf(provider[name]).keys);
  if (keys.length === 0) return [`${at}.${name}.keys: Required value: at least one keys is required`];
  return keys.flatMap((key, i) => faultsOfKey(`${at}.${name}.keys[${i}]`, key, sizes));
};

const groupOf = (resource: string): string => resource.split('.').slice(1).join('.');
const nameOf = (resource: string): string => resource.split('.')[0]!;

const faultsOfResource = (at: string, resource: string): string[] => {
  const fault = (why: string) => [`${at}: Invalid value: "${resource}": ${why}`];
  if (/[A-Z]/.test(resource)) return fault('resource name should not contain capital letters');
  if (resource === '*')
    return fault("use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources");
  if (['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations'].includes(resource))
    return fault('resources which do not have REST API/s cannot be encrypted');
  if (groupOf(resource) === 'events.k8s.io') return fault("use 'events' instead");
  if (groupOf(resource) === 'extensions') return fault("'extensions' group has been removed");
  return groupOf(resource) === '*' && nameOf(resource) !== '*'
    ? fault('encrypting the same resource across groups is not supported')
    : [];
};

const faultsOfOverlap = (at: string, resources: readonly string[]): string[] => {
  const unique = new Set(resources);
  const isMasked = [...unique].some(
    (one) =>
      nameOf(one) === '*' &&
      [...unique].some((other) => other !== one && (groupOf(one) === '*' || groupOf(one) === groupOf(other))),
  );
  return [
    ...(unique.size < resources.length
      ? [`${at}: Invalid value: the same resource cannot be specified multiple times`]
      : []),
    ...(isMasked ? [`${at}: Invalid value: using overlapping resources in the same resource list is not allowed`] : []),
  ];
};

const faultsOfEntry = ({ resources, providers: list }: Fields, index: number, program: Program): string[] => {
  const at = `resources[${index}]`;
  const names = textsOf(resources);
  return [
    ...(names.length === 0 ? [`${at}.resources: Required value: at least one ${at}.resources is required`] : []),
    ...faultsOfOverlap(`${at}.resources`, names),
    ...names.flatMap((name, i) => faultsOfResource(`${at}.resources[${i}]`, name)),
    ...(listOf(list).length === 0 ? [`${at}.providers: Required value: at least one ${at}.providers is required`] : []),
    ...listOf(list).flatMap((provider, i) => faultsOfProvider(`${at}.providers[${i}]`, provider, program)),
  ];
};

const keys = object({ keys: list(object({ name: text, secret: text })) });

export const encryptionConfiguration: FileType = {
  kind: 'EncryptionConfiguration',
  versions: { 'apiserver.config.k8s.io/v1': 0 },
  shape: object({
    apiVersion: text,
    kind: text,
    resources: list(
      object({
        resources: list(text),
        providers: list(
          object({
            aesgcm: keys,
            aescbc: keys,
            secretbox: keys,
            identity: anything,
            kms: object({ apiVersion: text, name: text, cachesize: integer, endpoint: text, timeout: duration }),
          }),
        ),
      }),
    ),
  }),
  strictSince: 31,
  validate: ({ resources }, program) =>
    listOf(resources).length === 0
      ? ['resources: Required value: at least one resources is required']
      : listOf(resources).flatMap((entry, i) => faultsOfEntry(entry, i, program)),
};

/** The name that it had before v1.13, which is still taken. */
export const formerEncryptionConfiguration: FileType = {
  ...encryptionConfiguration,
  kind: 'EncryptionConfig',
  versions: { v1: 0 },
};
