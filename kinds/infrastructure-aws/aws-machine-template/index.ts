import { contractLabels, defineKind } from '../../define.ts';
import { warnUnheeded } from '../not-acted-on.ts';
import { pointers } from '../pointers.ts';
import { awsMachineTemplate as facts } from './kind.ts';
import { type AWSMachineTemplate, spec, status } from './schema.ts';
import { validate } from './validate.ts';

export type * from './schema.ts';

export const awsMachineTemplate = defineKind({
  ...facts,
  shortNames: ['awsmt'],
  crdLabels: contractLabels('infrastructure-aws', { v1beta1: 'v1beta1_v1beta2' }),
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description: 'What the AWSMachines of a set are made from.',
      spec,
      status,
      columns: [],
    },
  ],
  pointers: pointers.AWSMachineTemplate,
  validate: (object, admission) => validate(object as AWSMachineTemplate, admission),
  warn: warnUnheeded,
});
