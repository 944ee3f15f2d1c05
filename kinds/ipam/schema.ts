/** Schemas that claims and addresses share. */
import { object, required, string } from '../../machinery/api/schema.ts';
import { dnsSubdomain, reference } from '../common/schema.ts';

const atomic = { 'x-kubernetes-map-type': 'atomic' } as const;

export const poolReference = reference('The pool, in the same namespace unless its kind is cluster-scoped.');
/** Of the versions before v1beta2. */
export const localPoolReference = object(
  'The pool, in the same namespace unless its kind is cluster-scoped.',
  {
    apiGroup: string('API group of the pool.'),
    kind: required(string('Kind of the pool.')),
    name: required(string('Name of the pool.')),
  },
  atomic,
);

export const nameReference = (description: string) =>
  object(description, {
    name: required(string('Name of the object.', { minLength: 1, maxLength: 253, pattern: dnsSubdomain })),
  });
/** Of the versions before v1beta2. */
export const localReference = (description: string) =>
  object(description, { name: string('Name of the object.', { default: '' }) }, atomic);
