/** The common part of EC2's Describe actions: by id or by filter, in pages, and possibly stale. */
import type { Filter } from '../../kinds/ports/cloud/index.ts';
import type { Collection, Stored } from './collection.ts';
import { refuse } from './errors.ts';
import { type Fields, matches, select } from './filters.ts';
import { checkId, type IdErrors, notFound } from './naming.ts';
import { type Limits, type PageRequest, page } from './paging.ts';
import { isStale } from './staleness.ts';
import type { Call } from './state.ts';
import { tagList } from './tags.ts';

export interface Question extends PageRequest {
  ids?: string[];
  filters?: Filter[];
}

const wide: Limits = { least: 5, most: 1000 };

/** Tag filters for items that are not records of a collection. */
export const withTags = <T extends { tags: Record<string, string> }>(
  fields: Fields<T>,
  filters: Filter[] | undefined,
): Fields<T> => ({
  ...fields,
  'tag-key': ({ tags }) => Object.keys(tags),
  ...Object.fromEntries(
    (filters ?? [])
      .filter(({ Name }) => Name.startsWith('tag:'))
      .map(({ Name }) => [
        Name,
        ({ tags }: T) => tagList(tags).flatMap(({ Key, Value }) => (`tag:${Key}` === Name ? [Value] : [])),
      ]),
  ),
});

const checkQuestion = ({ ids, MaxResults }: Question, idErrors: IdErrors): void => {
  if (ids && MaxResults !== undefined)
    refuse('InvalidParameterCombination', 'The parameter ids cannot be used with the parameter maxResults');
  for (const id of ids ?? []) checkId(id, idErrors);
};

/** The matching records. `exists` decides which records exist at all. */
export const describe = <T extends Stored>(
  call: Call,
  collection: Collection<T>,
  idErrors: IdErrors,
  fields: Fields<T>,
  question: Question,
  { limits = wide, exists = () => true }: { limits?: Limits; exists?: (record: T) => boolean } = {},
): { items: T[]; NextToken?: string } => {
  checkQuestion(question, idErrors);
  const { ids, filters } = question;
  const visible = (record: T) => exists(record) && !isStale(call, record);
  if (!ids) return page(call, select(collection, call.region, filters, fields).filter(visible), question, limits);
  const found = ids
    .map((id) => collection.get(id))
    .filter((record) => record?.region === call.region && visible(record));
  const records = found.filter((record) => record !== undefined);
  if (records.length < ids.length)
    return notFound(
      ids.filter((id) => !records.some((record) => record.id === id)),
      idErrors,
    );
  const known = withTags(fields, filters);
  return { items: records.filter((record) => matches(record, filters, known)).sort((a, b) => a.seq - b.seq) };
};

/** The same for items derived from other records, such as network interfaces and volumes. */
export const describeDerived = <T extends { id: string; seq: number; created: number; tags: Record<string, string> }>(
  call: Call,
  everything: T[],
  idErrors: IdErrors,
  fields: Fields<T>,
  question: Question,
): { items: T[]; NextToken?: string } => {
  checkQuestion(question, idErrors);
  const { ids, filters } = question;
  const visible = everything.filter((item) => !isStale(call, item));
  const missing = (ids ?? []).filter((id) => !visible.some((item) => item.id === id));
  if (missing.length > 0) return notFound(missing, idErrors);
  const known = withTags(fields, filters);
  const selected = visible.filter((item) => (!ids || ids.includes(item.id)) && matches(item, filters, known));
  return page(call, selected, question, wide);
};
