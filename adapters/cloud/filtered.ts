/**
 * What a list call answers, checked against the tags that it was asked for. An implementation of the API
 * that ignores a filter answers other clusters' resources, which a controller would wait for or delete.
 */
import type { CloudAction, CloudInput, CloudOutput, Filter, Tag } from '../../kinds/ports/cloud/index.ts';
import { lists } from '../../kinds/ports/lists.ts';

/** Where the resources of an answer are, for the actions that are asked by filter. */
const fields: ReadonlyMap<CloudAction, string> = new Map([
  ...Object.values(lists).flatMap(({ action, isByTag }) =>
    isByTag ? [[action, action.slice('Describe'.length)] as const] : [],
  ),
  ['GetResources', 'ResourceTagMappingList'],
]);

interface Asked {
  Filters?: Filter[];
  Filter?: Filter[];
  TagFilters?: { Key: string; Values?: string[] }[];
}
interface Resource {
  Tags?: Tag[];
  TagSet?: Tag[];
  VpcId?: string;
  Instances?: Resource[];
}
type Test = (resource: Resource) => boolean;

const tagValue = ({ Tags, TagSet }: Resource, key: string): string | undefined =>
  (Tags ?? TagSet ?? []).find(({ Key }) => Key === key)?.Value;
const tagPrefix = 'tag:';
/** EC2 reads these in the values of filters; such a filter is left to it. */
const hasWildcard = (value: string): boolean => /[*?\\]/.test(value);

const testOf = ({ Name, Values }: Filter): Test | undefined => {
  if (Values.some(hasWildcard)) return undefined;
  if (Name === 'vpc-id') return ({ VpcId }) => !VpcId || Values.includes(VpcId);
  if (!Name.startsWith(tagPrefix)) return undefined;
  const key = Name.slice(tagPrefix.length);
  return (resource) => Values.includes(tagValue(resource, key) ?? '') && tagValue(resource, key) !== undefined;
};
const tagTest =
  ({ Key, Values }: { Key: string; Values?: string[] }): Test =>
  (resource) => {
    const value = tagValue(resource, Key);
    return value !== undefined && (!Values?.length || Values.includes(value));
  };

const testsOf = ({ Filters = [], Filter = [], TagFilters = [] }: Asked): Test[] => [
  ...[...Filters, ...Filter].flatMap((filter) => testOf(filter) ?? []),
  ...TagFilters.map(tagTest),
];

/** The answer without the resources that do not match the tags and VPCs of the question. */
export const filtered = <A extends CloudAction>(
  action: A,
  input: CloudInput<A>,
  output: CloudOutput<A>,
): CloudOutput<A> => {
  const list = fields.get(action);
  // Filters of other services have other fields.
  if (!list) return output;
  const tests = testsOf(input as Asked);
  if (tests.length === 0) return output;
  const isMeant: Test = (resource) => tests.every((test) => test(resource));
  if (action === 'DescribeInstances') {
    const { Reservations } = output as CloudOutput<'DescribeInstances'>;
    const meant = Reservations.map((one) => ({ ...one, Instances: one.Instances.filter(isMeant) }));
    return { ...output, Reservations: meant.filter(({ Instances }) => Instances.length > 0) };
  }
  const resources = (output as Record<string, unknown>)[list] as Resource[];
  return { ...output, [list]: resources.filter(isMeant) };
};
