/** Fields of machines on AWS that Capstan accepts but ignores. */
import type { NotActedOn } from '../../common/not-acted-on.ts';

const is = (wanted: string) => (value: unknown) => value === wanted;

const fields: Omit<NotActedOn, 'kind'>[] = [
  { path: 'tenancy', feature: 'Dedicated hosts', when: is('host') },
  { path: 'hostID', feature: 'Dedicated hosts' },
  { path: 'dynamicHostAllocation', feature: 'Dedicated hosts' },
  { path: 'ignition', feature: 'Ignition (refused: nothing is created)' },
];

const at = (kind: string, prefix: string): NotActedOn[] =>
  fields.map((field) => ({ ...field, kind, path: `${prefix}.${field.path}` }));

export const machineNotActedOn: NotActedOn[] = [
  ...at('AWSMachine', 'spec'),
  ...at('AWSMachineTemplate', 'spec.template.spec'),
];
