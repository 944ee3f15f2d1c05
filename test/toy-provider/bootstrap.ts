/** The controller of ToyConfigs: the bootstrap data is an empty Secret. */
import { controllerReference } from '../../kinds/common/owners.ts';
import { clusterSecret } from '../../kinds/core/contract/cluster-secrets.ts';
import type { Machine } from '../../kinds/core/machine/index.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { defineController, found } from '../../machinery/api/reconcile.ts';
import { clusterOf, ownerIn } from './infrastructure.ts';
import type { ToyConfig } from './kinds.ts';

interface Observed {
  config: ToyConfig;
  machine: Machine | undefined;
  dataSecret: KubeObject | undefined;
}

export const toyConfigController = defineController<ToyConfig, Observed>({
  name: 'toy-config',
  for: 'ToyConfig',
  worker: 'core',
  watches: [{ kind: 'Machine', to: 'dependents', level: 'note' }],
  clusterOf,
  conditions: 'none',
  observe: (config, read) => {
    const { name, namespace = '' } = config.metadata;
    const dataSecret = found(read.get('Secret', { namespace, name }));
    return { config, machine: ownerIn<Machine>(config, 'Machine', read), dataSecret };
  },
  reconcile: ({ config, machine, dataSecret }) => {
    const { name, namespace = '' } = config.metadata;
    if (!machine || config.metadata.deletionTimestamp || config.status?.dataSecretName) return {};
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
