import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Infer, object, required } from '../../../machinery/api/schema.ts';
import { age, contractLabels, defineKind } from '../../define.ts';
import { spec as nodeadmConfigSpec } from '../nodeadm-config/schema.ts';
import { validateNodeadmSpec } from '../nodeadm-config/validate.ts';
import { nodeadmConfigTemplate as facts } from './kind.ts';

const spec = object('What configs are made from.', {
  template: required(object('The config to copy.', { spec: nodeadmConfigSpec })),
});
export type NodeadmConfigTemplate = KubeObject<Infer<typeof spec>>;

export const nodeadmConfigTemplate = defineKind({
  ...facts,
  shortNames: ['nodeadmct'],
  crdLabels: contractLabels('infrastructure-aws', { v1beta1: 'v1beta1_v1beta2' }),
  validate: (object, { operation }) => {
    const template = (object as NodeadmConfigTemplate).spec?.template;
    return template?.spec && operation !== 'delete' ? validateNodeadmSpec(template.spec, 'spec.template.spec') : [];
  },
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description: 'What the NodeadmConfigs of a set of machines are made from.',
      spec,
      columns: [age],
    },
  ],
});
