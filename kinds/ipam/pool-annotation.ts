/**
 * An infrastructure machine asks for a fixed address by an annotation, because the AWS provider's
 * kinds have no field for it: `KIND/NAME` or `KIND.GROUP/NAME`.
 */
import type { AnnotationCheck } from '../common/annotation-checks.ts';
import { dnsSubdomain } from '../common/schema.ts';
import { invalidValue } from '../common/validate.ts';
import { ipamGroup } from '../common/versions.ts';
import type { PoolReference } from './references.ts';

/** On an infrastructure machine, or in its template's metadata. */
export const poolAnnotation = 'capstan.dev/address-pool';

type Annotations = Record<string, string> | undefined;

const isName = (text: string): boolean => text.length <= 253 && new RegExp(dnsSubdomain).test(text);

const parse = (text: string): PoolReference | undefined => {
  const [, kind = '', group = ipamGroup, name = ''] =
    /^([A-Za-z][A-Za-z0-9]{0,62})(?:\.([^/]+))?\/([^/]+)$/.exec(text) ?? [];
  return kind && isName(group) && isName(name) ? { apiGroup: group, kind, name } : undefined;
};

/** The pool that a machine with these annotations takes its address from. */
export const poolAskedIn = (annotations: Annotations): PoolReference | undefined =>
  parse(annotations?.[poolAnnotation] ?? '');

export const isPool: AnnotationCheck = (field, value) =>
  parse(value)
    ? []
    : [invalidValue(field, value, 'must be KIND/NAME or KIND.GROUP/NAME of a pool, such as InClusterIPPool/workers')];
