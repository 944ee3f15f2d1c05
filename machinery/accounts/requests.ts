/** The subresource `serviceaccounts/token`: a TokenRequest is answered with a token, and never stored. */
import { badRequest, conflict, invalid, notFound } from '../api/errors.ts';
import type { FieldError } from '../api/kind.ts';
import { timestamp } from '../api/lifecycle.ts';
import { isObject, type KubeObject, type ObjectKey } from '../api/object.ts';
import { accountType, secretType } from '../api/service-account.ts';
import type { Call } from '../server/call.ts';
import type { Store } from '../store/store.ts';
import { type AccountTokens, ownAudience } from './tokens.ts';

const apiVersion = 'authentication.k8s.io/v1';
const kind = 'TokenRequest';
const [accounts, secrets] = [
  { group: '', plural: accountType },
  { group: '', plural: secretType },
];
/** Seconds. */
const defaultLifetime = 3600;
const leastLifetime = 600;
const longestLifetime = 2 ** 32;

/** Where the audit event shows the id of the token. */
const issuedId = 'authentication.kubernetes.io/issued-credential-id';

interface BoundObject {
  kind: string;
  apiVersion: string;
  name: string;
  uid: string;
}

type Fields = Record<string, unknown>;
const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const invalidValue = (field: string, value: unknown, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  value,
  detail,
});

const metadataFaults = (metadata: Fields, { namespace, name }: ObjectKey): FieldError[] => {
  const faults: FieldError[] = [];
  if (metadata.name && metadata.name !== name)
    faults.push(invalidValue('metadata.name', metadata.name, 'must match the service account name'));
  if (metadata.namespace && metadata.namespace !== namespace)
    faults.push(invalidValue('metadata.namespace', metadata.namespace, 'must match the service account namespace'));
  return faults;
};

const lifetimeFaults = (lifetime: unknown): FieldError[] => {
  const field = 'spec.expirationSeconds';
  if (typeof lifetime !== 'number' || !Number.isInteger(lifetime))
    return [invalidValue(field, lifetime, 'must be an integer')];
  if (lifetime < leastLifetime)
    return [invalidValue(field, lifetime, 'may not specify a duration less than 10 minutes')];
  if (lifetime > longestLifetime)
    return [invalidValue(field, lifetime, 'may not specify a duration larger than 2^32 seconds')];
  return [];
};

const boundObjectOf = (spec: Fields): BoundObject | undefined => {
  if (!isObject(spec.boundObjectRef)) return undefined;
  const { kind: of, apiVersion: version, name, uid } = spec.boundObjectRef as Fields;
  return { kind: textOf(of), apiVersion: textOf(version), name: textOf(name), uid: textOf(uid) };
};

/** The Secret that a token is bound to. There are no Pods and Nodes to bind one to. */
const secretOf = async (store: Pick<Store, 'uid'>, namespace: string, object: BoundObject) => {
  const { kind: of, apiVersion: version, name, uid: expected } = object;
  if (of !== 'Secret' || version !== 'v1') {
    const [group, number] = version.includes('/') ? version.split('/') : ['', version];
    throw badRequest(`cannot bind token to object of type ${group}/${number}, Kind=${of}`);
  }
  const uid = await store.uid(secretType, { namespace, name });
  if (uid === undefined) throw notFound(secrets, name);
  if (expected && expected !== uid)
    throw conflict(
      secrets,
      name,
      `the UID in the bound object reference (${expected}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  return { name, uid };
};

/** Answers a TokenRequest for an account. */
export const requestToken = async (
  tokens: AccountTokens,
  call: Call,
  key: ObjectKey,
  body: unknown,
): Promise<KubeObject> => {
  const { store, clock } = call.server;
  const sent = fieldsOf(body);
  if (sent.kind !== kind || sent.apiVersion !== apiVersion)
    throw badRequest(`the object provided is unrecognized (must be of type ${kind})`);
  const spec = fieldsOf(sent.spec);
  const { expirationSeconds: lifetime = defaultLifetime } = spec;
  const faults = [...metadataFaults(fieldsOf(sent.metadata), key), ...lifetimeFaults(lifetime)];
  if (faults.length > 0) throw invalid({ group: 'authentication.k8s.io', kind }, key.name, faults);
  const account = await store.get(accountType, key);
  if (!account) throw notFound(accounts, key.name);
  const asked = Array.isArray(spec.audiences) ? spec.audiences.filter((one) => typeof one === 'string' && one) : [];
  const audiences = asked.length > 0 ? (asked as string[]) : [ownAudience];
  const bound = boundObjectOf(spec);
  const secret = bound && (await secretOf(store, key.namespace, bound));
  const issued = await tokens.issue({
    account: { ...key, uid: account.metadata.uid! },
    audiences,
    lifetime: lifetime as number,
    ...(secret && { secret }),
  });
  call.audited[issuedId] = `JTI=${issued.id}`;
  return {
    apiVersion,
    kind,
    metadata: { ...key, creationTimestamp: timestamp(clock.now()) },
    spec: { audiences, expirationSeconds: lifetime as number, boundObjectRef: bound ? { ...bound } : null },
    status: { token: issued.token, expirationTimestamp: timestamp(issued.expires * 1000) },
  };
};
