/** The controller of ToyConfigs: the bootstrap data is an empty Secret. */
import { controllerReference } from '../../kinds/common/owners.ts';
import { clusterSecret } from '../../kinds/core/contract/cluster-secrets.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { defineController, found } from '../../machinery/api/reconcile.ts';
import { clusterOf, ownerIn } from './infrastructure.ts';
import type { ToyConfig } from './kinds.ts';

interface Observed {
  config: ToyConfig;
  owner: KubeObject | undefined;
  dataSecret: KubeObject | undefined;
}

export const toyConfigController = defineController<ToyConfig, Observed>({
  name: 'toy-config',
  for: 'ToyConfig',
  worker: 'core',
  watches: [
    { kind: 'Machine', to: 'dependents', level: 'note' },
    { kind: 'MachinePool', to: 'dependents', level: 'note' },
  ],
  clusterOf,
  conditions: 'none',
  observe: (config, read) => {
    const { name, namespace = '' } = config.metadata;
    const dataSecret = found(read.get('Secret', { namespace, name }));
    const owner = ownerIn(config, 'Machine', read) ?? ownerIn(config, 'MachinePool', read);
    return { config, owner, dataSecret };
  },
  reconcile: ({ config, owner: user, dataSecret }) => {
    const { name, namespace = '' } = config.metadata;
    if (!user || config.metadata.deletionTimestamp || config.status?.dataSecretName) return {};
    if (dataSecret) return { status: { initialization: { dataSecretCreated: true }, dataSecretName: name } };
    const owner = controllerReference(config);
    const secret = clusterSecret({
      namespace,
      name,
      cluster: clusterOf(config) ?? '',
      owner,
      values: { value: 'toy' },
    });
    return { actions: [{ do: 'create', object: secret }], again: true };
  },
});
