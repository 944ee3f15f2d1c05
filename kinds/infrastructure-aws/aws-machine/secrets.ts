/** The one-shot secrets of a machine. */
import type { Action, Failure } from '../../../machinery/api/reconcile.ts';
import { callCloud } from '../../ports/index.ts';
import { evidence, type Owner, tagList } from '../engine/tags.ts';
import { isCombined } from './batch.ts';
import { type Launch, launchOf } from './launch.ts';
import { machineTags, machineUidTag } from './request.ts';
import type { AWSMachine } from './schema.ts';
import { unmanagedInstance } from './unmanaged.ts';
import { type BootstrapSecrets, backendOf, secretNames, secretPrefix } from './user-data.ts';

const group = 'bootstrap-secrets';

export const isAboutSecrets = ({ group: of }: { group?: string }): boolean => of === group;

/**
 * A previous attempt created the secret with its value, so this failure does not block the launch.
 */
export const isThereAlready = (failure: Failure | undefined): boolean =>
  /^(ResourceExistsException|ParameterAlreadyExists)$/.test(failure?.code ?? '') &&
  /^(CreateSecret|PutParameter)$/.test(failure?.operation ?? '');

export const machineEvidence = (owner: Owner, { metadata }: AWSMachine): Record<string, string> => ({
  ...evidence(owner),
  [machineUidTag]: metadata.uid ?? '',
});

export const prefixOf = ({ spec }: AWSMachine, token: string): string =>
  secretPrefix(token, spec?.cloudInit?.secureSecretsBackend ?? 'secrets-manager');

/** The prefix of the machine's own secrets. */
export const secretsOf = (awsMachine: AWSMachine, launch: Launch): string => {
  const prefix = prefixOf(awsMachine, launch.token);
  return isCombined(launch) ? `${prefix}-${launch.batch.index}` : prefix;
};

/**
 * `there`: parameters that exist. Unlike a secret, a parameter has no token that makes a repeated
 * creation safe.
 */
export const createSecrets = (
  region: string,
  owner: Owner,
  awsMachine: AWSMachine,
  controlPlane: boolean,
  token: string,
  { prefix, chunks }: BootstrapSecrets,
  there: readonly string[],
): Action[] => {
  const Tags = tagList(machineTags(owner, awsMachine, controlPlane));
  const put = (Name: string, chunk: string): Action[] => {
    switch (backendOf(prefix)) {
      case 'secrets-manager':
        return [callCloud(region, 'CreateSecret', { Name, ClientRequestToken: token, SecretBinary: chunk, Tags })];
      case 'ssm-parameter-store':
        return there.includes(Name)
          ? []
          : [callCloud(region, 'PutParameter', { Name, Value: chunk, Type: 'SecureString', Tags })];
    }
  };
  return secretNames(prefix, chunks.length).flatMap((name, index) => put(name, chunks[index]!));
};

/** `name`: a parameter's name, or a secret's name or ARN. `owned`: tags that it must carry. */
export const deleteSecret = (region: string, name: string, owned: Record<string, string>): Action => {
  switch (backendOf(name)) {
    case 'secrets-manager':
      return callCloud(region, 'DeleteSecret', { SecretId: name, ForceDeleteWithoutRecovery: true }, owned);
    case 'ssm-parameter-store':
      return callCloud(region, 'DeleteParameter', { Name: name }, owned);
  }
};

const deleteAll = (
  region: string,
  owner: Owner,
  awsMachine: AWSMachine,
  { prefix, count }: NonNullable<Launch['former']>,
): Action[] =>
  secretNames(prefix, count).map((secret) => ({
    ...deleteSecret(region, secret, machineEvidence(owner, awsMachine)),
    group,
  }));

/** Secrets of the attempt before a launch; the launch needs only its own. */
export const deleteFormer = (owner: Owner, awsMachine: AWSMachine, { region, former }: Launch): Action[] =>
  former ? deleteAll(region, owner, awsMachine, former) : [];

/** Empty when there are none. */
export const deleteSecretValues = (region: string, owner: Owner, awsMachine: AWSMachine): Action[] => {
  const { secretPrefix: prefix, secretCount: count = 0 } = awsMachine.spec?.cloudInit ?? {};
  // Secrets of a launch for another object carry that object's uid.
  if (!prefix || !region || unmanagedInstance(awsMachine)) return [];
  const launch = launchOf(awsMachine.metadata);
  return [
    ...(launch ? deleteFormer(owner, awsMachine, launch) : []),
    ...deleteAll(region, owner, awsMachine, { prefix, count }),
  ];
};

/** Deletes the secrets, then clears their recorded location. */
export const deleteSecrets = (region: string, owner: Owner, awsMachine: AWSMachine): Action[] => {
  const { name, namespace = '', uid = '' } = awsMachine.metadata;
  const values = deleteSecretValues(region, owner, awsMachine);
  const patch = { spec: { cloudInit: { secretPrefix: null, secretCount: null } } };
  return values.length > 0 ? [...values, { do: 'patch', kind: 'AWSMachine', namespace, name, uid, patch, group }] : [];
};
