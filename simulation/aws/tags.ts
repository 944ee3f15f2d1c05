/** Parses and formats tags, and refuses what EC2 refuses. */
import type { Tag, TagSpecifications } from '../../kinds/ports/cloud/index.ts';
import { invalidParameter, refuse } from './errors.ts';

export type TagSource = TagSpecifications | undefined;

export const tagList = (tags: Record<string, string>): Tag[] =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));

const maxTags = 50;

export const checkTagCount = (tags: Record<string, string>): void => {
  if (Object.keys(tags).length > maxTags)
    refuse('TagLimitExceeded', 'The maximum number of Tags for a resource has been reached.');
};

/** Validates as EC2 does. */
export const parseTags = (tags: Tag[]): Record<string, string> => {
  const result: Record<string, string> = {};
  for (const { Key, Value } of tags) {
    if (!Key) invalidParameter('Tag key cannot be empty.');
    if (Key.length > 127) invalidParameter('Tag key exceeds the maximum length of 127 characters');
    if ((Value ?? '').length > 256) invalidParameter('Tag value exceeds the maximum length of 256 characters');
    if (/^aws:/i.test(Key)) invalidParameter("Tag keys starting with 'aws:' are reserved for internal use");
    if (Object.hasOwn(result, Key)) invalidParameter(`Duplicate tag key '${Key}' specified.`);
    Object.defineProperty(result, Key, { value: Value ?? '', enumerable: true, writable: true, configurable: true });
  }
  checkTagCount(result);
  return result;
};

const shown = /^[0-9a-zA-Z\-_+=,.@:]{1,255}$/;
const reserved = ['.', '..', '_index'];

/** Tags in instance metadata are part of a path there, which restricts their keys. */
export const checkShownTags = (tags: Record<string, string>): void => {
  for (const key of Object.keys(tags))
    if (!shown.test(key) || reserved.includes(key))
      invalidParameter(
        `'${key}' is not a valid tag key. Tag keys must match pattern ([0-9a-zA-Z\\-_+=,.@:]{1,255}), and must not be a reserved name ('.', '..', '_index')`,
      );
};

/**
 * The tags for one resource type of a creating call; other types are refused unless the call
 * creates those, too.
 */
export const tagsFor = (type: string, source: TagSource, alsoMade: string[] = []): Record<string, string> => {
  for (const { ResourceType, Tags } of source ?? []) {
    if (Tags.length === 0) invalidParameter('Tag specification must have at least one tag');
    if (ResourceType !== type && !alsoMade.includes(ResourceType))
      invalidParameter(`'${ResourceType}' is not a valid taggable resource type for this operation.`);
  }
  return parseTags((source ?? []).filter(({ ResourceType }) => ResourceType === type).flatMap(({ Tags }) => Tags));
};
