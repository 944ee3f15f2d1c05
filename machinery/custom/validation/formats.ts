/** Warns of formats that nothing validates. */
import type { JsonSchema } from '../../api/schema.ts';
import { isKnownFormat } from '../../server/structural/format.ts';
import type { Definition } from '../definition.ts';

const formatsIn = (schema: JsonSchema): string[] => {
  const rest = schema.additionalProperties;
  const children = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items ? [schema.items] : []),
    ...(typeof rest === 'object' ? [rest] : []),
  ];
  return [...(schema.format ? [schema.format] : []), ...children.flatMap(formatsIn)];
};

const unknownIn = (definition: Definition | undefined): Set<string> => {
  const schemas = (definition?.spec?.versions ?? []).map(({ schema }) => schema?.openAPIV3Schema ?? {});
  return new Set(schemas.flatMap(formatsIn).filter((format) => !isKnownFormat(format)));
};

export const formatWarnings = (definition: Definition, old: Definition | undefined): string[] => {
  const before = unknownIn(old);
  return [...unknownIn(definition)]
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
};
