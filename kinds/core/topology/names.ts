/**
 * Names of the objects of a topology. They follow from what is observed, so that a pass that was
 * interrupted finds what it created. Pure.
 */
import type { JsonValue } from '../../../machinery/api/object.ts';
import { digestOf } from '../../common/digest.ts';
import { TemplateError } from '../../common/go-template/index.ts';
import { nameWithSuffix } from '../../common/names.ts';
import type { Cluster } from '../cluster/schema.ts';
import { type NameData, nameByTemplate } from '../cluster-class/names.ts';

// Without vowels and without digits that look like letters, as Kubernetes' generated names.
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Five characters that look random. */
export const suffixOf = (...parts: JsonValue[]): string => {
  let rest = BigInt(`0x${digestOf(parts)}`);
  return Array.from({ length: 5 }, () => {
    const at = Number(rest % BigInt(alphabet.length));
    rest /= BigInt(alphabet.length);
    return alphabet[at];
  }).join('');
};

const uidOf = ({ metadata }: Cluster): string => metadata.uid ?? '';

/** By the naming template of the ClusterClass. Throws TemplateError. */
export const nameOfPart = (cluster: Cluster, template: string, part: string, data: Partial<NameData> = {}): string => {
  const random = suffixOf(uidOf(cluster), part);
  const name = nameByTemplate(template, { cluster: cluster.metadata.name, random, ...data });
  if (name instanceof TemplateError) throw name;
  return name;
};

const prefixOf = (cluster: Cluster, owner: string): string => `${cluster.metadata.name}-${owner ? `${owner}-` : ''}`;

/** `owner`: the name of the workers in the topology; empty for the control plane. */
export const firstTemplateName = (cluster: Cluster, owner: string, part: string): string =>
  nameWithSuffix(prefixOf(cluster, owner), suffixOf(uidOf(cluster), owner, part));

/** A name for the spec that follows the template of that name. */
export const nextTemplateName = (cluster: Cluster, owner: string, current: string, spec: JsonValue): string =>
  nameWithSuffix(prefixOf(cluster, owner), suffixOf(uidOf(cluster), current, spec));
