/** The controller of ToyConfigs: bootstrap data is a Secret with nothing to say. */
import { controllerReference } from '../../kinds/common/owners.ts';
import { clusterSecret } from '../../kinds/core/contract/cluster-secrets.ts';
import type { Machine } from '../../kinds/core/machine/index.ts';
import { defineController } from '../../machinery/api/reconcile.ts';
import { clusterOf, ownerIn } from './infrastructure.ts';
import type { ToyConfig } from './kinds.ts';

export const toyConfigController = defineController<ToyConfig, { config: ToyConfig; machine: Machine | undefined }>({
  name: 'toy-config',
  for: 'ToyConfig',
  worker: 'core',
  watches: [{ kind: 'Machine', to: 'dependents' }],
  clusterOf,
  conditions: 'none',
  observe: (config, read) => ({ config, machine: ownerIn<Machine>(config, 'Machine', read) }),
  reconcile: ({ config, machine }) => {
    const { name, namespace = '' } = config.metadata;
    if (!machine || config.metadata.deletionTimestamp || config.status?.dataSecretName) return {};
    const owner = controllerReference(config);
    const secret = clusterSecret({
      namespace,
      name,
      cluster: clusterOf(config) ?? '',
      owner,
      values: { value: 'toy' },
    });
    return {
      actions: [{ do: 'create', object: secret }],
      status: { initialization: { dataSecretCreated: true }, dataSecretName: name },
    };
  },
});
