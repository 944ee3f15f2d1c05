import { age, column } from '../../common/columns.ts';
import { conversion, versionOf } from '../../common/conversion.ts';
import { coreContracts, coreGroup, coreProvider, supersededBy } from '../../common/versions.ts';
import { contractLabels, defineKind } from '../../define.ts';
import { machineDrainRule as facts } from './kind.ts';
import { machineDrainRuleSpec } from './schema.ts';
import { validateMachineDrainRule } from './validate.ts';

export type * from './schema.ts';

const description = 'How Pods leave the Nodes of Machines that are deleted.';
const columns = [
  column('Behavior', 'string', '.spec.drain.behavior', 'What happens to the Pods.'),
  column('Order', 'string', '.spec.drain.order', 'Pods of a lower order are evicted first.'),
  age,
];
const spec = { spec: machineDrainRuleSpec };

export const machineDrainRule = defineKind({
  ...facts,
  shortNames: [],
  crdLabels: contractLabels(coreProvider, coreContracts),
  validate: validateMachineDrainRule,
  versions: [
    { name: 'v1beta2', served: true, storage: true, description, columns, ...spec, specRequired: true },
    {
      name: 'v1beta1',
      served: true,
      ...supersededBy(facts, 'v1beta1', 'v1beta2'),
      ...conversion(versionOf(`${coreGroup}/v1beta1`, spec), versionOf(`${coreGroup}/v1beta2`, spec), []),
      description,
      columns,
      ...spec,
      specRequired: true,
    },
  ],
});
