/** The one-shot secrets of a machine. */
import type { Action, Failure } from '../../../machinery/api/reconcile.ts';
import { callCloud } from '../../ports/index.ts';
import { evidence, type Owner, tagList } from '../aws-cluster/tags.ts';
import { type Launch, launchOf } from './launch.ts';
import { machineTags, machineUidTag } from './request.ts';
import type { AWSMachine } from './schema.ts';
import { unmanagedInstance } from './unmanaged.ts';
import { type BootstrapSecrets, backendOf, secretNames, secretPrefix } from './user-data.ts';

const group = 'bootstrap-secrets';

export const isAboutSecrets = ({ group: of }: { group?: string }): boolean => of === group;

/** The previous attempt already created the secret with its value, so this failure blocks no launch. */
export const isThereAlready = (failure: Failure | undefined): boolean =>
  /^(ResourceExistsException|ParameterAlreadyExists)$/.test(failure?.code ?? '') &&
  /^(CreateSecret|PutParameter)$/.test(failure?.operation ?? '');

export const machineEvidence = (owner: Owner, { metadata }: AWSMachine): Record<string, string> => ({
  ...evidence(owner),
  [machineUidTag]: metadata.uid ?? '',
});

export const prefixOf = ({ spec }: AWSMachine, token: string): string =>
  secretPrefix(token, spec?.cloudInit?.secureSecretsBackend ?? 'secrets-manager');

/** `there`: parameters that exist; unlike a secret, one is not made again with the same token. */
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

/** `name`: that of a parameter; of a secret its ARN will do. `owned`: the tags that it must carry. */
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

/** Those of the attempt before a launch: another one's are not needed any more. */
export const deleteFormer = (owner: Owner, awsMachine: AWSMachine, { region, former }: Launch): Action[] =>
  former ? deleteAll(region, owner, awsMachine, former) : [];

/** Nothing to do when there are none. */
export const deleteSecretValues = (region: string, owner: Owner, awsMachine: AWSMachine): Action[] => {
  const { secretPrefix: prefix, secretCount: count = 0 } = awsMachine.spec?.cloudInit ?? {};
  // What was made for a launch elsewhere carries the uid of another object.
  if (!prefix || !region || unmanagedInstance(awsMachine)) return [];
  const launch = launchOf(awsMachine.metadata);
  return [
    ...(launch ? deleteFormer(owner, awsMachine, launch) : []),
    ...deleteAll(region, owner, awsMachine, { prefix, count }),
  ];
};

/** Deletes them, then forgets where they were. */
export const deleteSecrets = (region: string, owner: Owner, awsMachine: AWSMachine): Action[] => {
  const { name, namespace = '', uid = '' } = awsMachine.metadata;
  const values = deleteSecretValues(region, owner, awsMachine);
  const patch = { spec: { cloudInit: { secretPrefix: null, secretCount: null } } };
  return values.length > 0 ? [...values, { do: 'patch', kind: 'AWSMachine', namespace, name, uid, patch, group }] : [];
};
