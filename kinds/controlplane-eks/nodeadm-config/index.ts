import { age, column, contractLabels, defineKind } from '../../define.ts';
import { nodeadmConfig as facts } from './kind.ts';
import { type NodeadmConfigSpec, spec, status } from './schema.ts';
import { validateNodeadmSpec } from './validate.ts';

export type * from './schema.ts';

export const nodeadmConfig = defineKind({
  ...facts,
  shortNames: [],
  crdLabels: contractLabels('infrastructure-aws', { v1beta1: 'v1beta1_v1beta2' }),
  validate: ({ spec }, { operation }) =>
    spec && operation !== 'delete' ? validateNodeadmSpec(spec as NodeadmConfigSpec, 'spec') : [],
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description: 'The bootstrap configuration of a machine of EKS: what nodeadm and cloud-init do there.',
      spec,
      status,
      columns: [
        column('Ready', 'string', '.status.ready', 'Whether its user data was made.'),
        column('Data secret', 'string', '.status.dataSecretName', 'The Secret with the user data.', 1),
        age,
      ],
    },
  ],
});
