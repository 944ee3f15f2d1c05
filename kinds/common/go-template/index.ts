/**
 * Go templates with the functions of sprig that depend on nothing but their operands: the templates
 * of patches of ClusterClasses.
 */

import { builtIn } from './built-in.ts';
import { execute, type GoFunction } from './execute.ts';
import { TemplateError, type Templates, type Value } from './nodes.ts';
import { parse } from './parse.ts';
import { collections } from './sprig-collections.ts';
import { encodings } from './sprig-encodings.ts';
import { numbers } from './sprig-numbers.ts';
import { strings } from './sprig-strings.ts';
import { versions } from './sprig-versions.ts';

export { TemplateError, type Value };

// The functions of sprig replace built-in ones of the same name, as they do upstream.
const functions: ReadonlyMap<string, GoFunction> = new Map(
  Object.entries({ ...builtIn, ...strings, ...collections, ...encodings, ...numbers, ...versions }),
);
const knows = (name: string): boolean => functions.has(name) || name === 'and' || name === 'or';

/** Class changes render the same templates for many Clusters. */
const mostParsed = 2000;
const parsed = new Map<string, Templates | TemplateError>();

/** The parsed template, or what is wrong with it. */
const parsedTemplate = (template: string): Templates | TemplateError => {
  const known = parsed.get(template);
  if (known) return known;
  let result: Templates | TemplateError;
  try {
    result = parse(template, knows);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    result = error;
  }
  if (parsed.size >= mostParsed) parsed.clear();
  parsed.set(template, result);
  return result;
};

/** Why the template cannot be parsed; undefined if it can. */
export const templateFault = (template: string): string | undefined => {
  const result = parsedTemplate(template);
  return result instanceof TemplateError ? result.message : undefined;
};

/** What the template prints. Throws TemplateError. */
export const renderTemplate = (template: string, data: Value): string => {
  const templates = parsedTemplate(template);
  if (templates instanceof TemplateError) throw templates;
  return execute(templates, functions, data);
};
