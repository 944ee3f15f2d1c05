import type { FieldError, KindDefinition } from '../../../machinery/api/kind.ts';
import { isQualifiedName } from '../../../machinery/api/labels.ts';
import { countedType, type ResourceQuota, wholeAmount } from '../../../machinery/api/resource-quota.ts';
import { anyObject, atomicList, intOrString, map, object, string } from '../../../machinery/api/schema.ts';
import { parseQuantity } from '../../common/quantity.ts';
import { invalidValue } from '../../common/validate.ts';
import { age, defineBuiltIn } from '../built-in.ts';
import { resourceQuota as facts } from './kind.ts';

const quantity = intOrString('A quantity.');
const amounts = (description: string) => map(description, quantity);

const spec = object('What the objects of a namespace may use together.', {
  hard: amounts('The most of each resource: count/<plural>.<group> counts objects. Others are not acted on.'),
  scopes: atomicList('Which pods count; a quota with scopes counts nothing else.', string('')),
  scopeSelector: anyObject('Which pods count; a quota with a selector counts nothing else.'),
});
const status = object('What is used.', {
  hard: amounts('The limits that were last compared.'),
  used: amounts('What the namespace uses of each resource.'),
});

/** Resources of pods, volumes and load balancers, which Capstan has none of. */
const known =
  /^(cpu|memory|ephemeral-storage|pods|persistentvolumeclaims|replicationcontrollers|services\.(nodeports|loadbalancers)|(requests|limits)\..+|hugepages-.+)$/;

const amountFaults = (name: string, amount: string): FieldError[] => {
  const field = `spec.hard[${name}]`;
  if (!isQualifiedName(name)) return [invalidValue(field, name, 'must be a qualified name')];
  if (!name.includes('/') && countedType(name) === undefined && !known.test(name))
    return [invalidValue(field, name, 'must be a standard resource for quota')];
  const parsed = parseQuantity(amount);
  if (parsed === undefined || parsed < 0) return [invalidValue(field, amount, 'must be greater than or equal to 0')];
  return countedType(name) !== undefined && wholeAmount(amount) === undefined
    ? [invalidValue(field, amount, 'must be an integer')]
    : [];
};

const validate: KindDefinition['validate'] = (quota, { operation, subresource }) =>
  operation === 'delete' || subresource === 'status'
    ? []
    : Object.entries((quota as ResourceQuota).spec?.hard ?? {}).flatMap(([name, amount]) =>
        amountFaults(name, String(amount)),
      );

const pairs = (quota: ResourceQuota): string =>
  Object.entries(quota.status?.hard ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, most]) => `${name}: ${quota.status?.used?.[name] ?? 0}/${most}`)
    .join(', ');

export const resourceQuota = defineBuiltIn({
  ...facts,
  shortNames: ['quota'],
  validate,
  version: {
    description: 'Limits what the objects of a namespace may use together.',
    fields: { spec, status },
    status: true,
    columns: [
      {
        name: 'Request',
        type: 'string',
        value: (quota) => pairs(quota as ResourceQuota),
        description: 'What is used of each limit.',
      },
      { name: 'Limit', type: 'string', value: () => '', description: 'What is used of the limits of pods.' },
      age,
    ],
  },
});
