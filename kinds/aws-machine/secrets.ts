/** The one-shot secrets of a machine. */
import type { Action } from '../../machinery/api/reconcile.ts';
import { evidence, type Owner, tagList } from '../aws-cluster/tags.ts';
import { callCloud } from '../ports/index.ts';
import type { AWSMachine } from './index.ts';
import { machineTags, machineUidTag } from './request.ts';
import { type BootstrapSecrets, secretNames } from './user-data.ts';

const group = 'bootstrap-secrets';

export const machineEvidence = (owner: Owner, { metadata }: AWSMachine): Record<string, string> => ({
  ...evidence(owner),
  [machineUidTag]: metadata.uid ?? '',
});

export const createSecrets = (
  region: string,
  owner: Owner,
  awsMachine: AWSMachine,
  controlPlane: boolean,
  token: string,
  { prefix, chunks }: BootstrapSecrets,
): Action[] => {
  const tags = tagList(machineTags(owner, awsMachine, controlPlane));
  return secretNames(prefix, chunks.length).map((Name, index) =>
    callCloud(region, 'CreateSecret', {
      Name,
      ClientRequestToken: token,
      SecretBinary: chunks[index]!,
      Tags: tags,
    }),
  );
};

/** Deletes them, then forgets where they were. Nothing to do when there are none. */
export const deleteSecrets = (region: string, owner: Owner, awsMachine: AWSMachine): Action[] => {
  const { secretPrefix, secretCount } = awsMachine.spec?.cloudInit ?? {};
  if (!secretPrefix || !region) return [];
  const { name, namespace = '', uid = '' } = awsMachine.metadata;
  return [
    ...secretNames(secretPrefix, secretCount ?? 0).map((SecretId) =>
      callCloud(
        region,
        'DeleteSecret',
        { SecretId, ForceDeleteWithoutRecovery: true },
        machineEvidence(owner, awsMachine),
      ),
    ),
    {
      do: 'patch' as const,
      kind: 'AWSMachine',
      namespace,
      name,
      uid,
      patch: { spec: { cloudInit: { secretPrefix: null, secretCount: null } } },
    },
  ].map((action) => ({ ...action, group }));
};
