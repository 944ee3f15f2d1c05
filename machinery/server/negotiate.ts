/**
 * Negotiates the response format. JSON by default, YAML on request; protobuf is decoded, never
 * encoded.
 */
import { notAcceptable } from './status.ts';

export interface Form {
  encoding: 'json' | 'yaml';
  /** The kind of the response when it is not the object's own. */
  as?: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | 'APIGroupDiscoveryList';
  /** The version of `as`. */
  version?: string;
}

interface Entry {
  type: string;
  parameters: Record<string, string>;
  quality: number;
}

const entriesOf = (accept: string): Entry[] =>
  accept
    .split(',')
    .map((part) => {
      const [type = '', ...rest] = part.split(';').map((piece) => piece.trim());
      const parameters = Object.fromEntries(rest.map((piece) => piece.split('=', 2) as [string, string]));
      const quality = parameters.q === undefined ? 1 : Number(parameters.q);
      return { type: type.toLowerCase(), parameters, quality };
    })
    .filter((entry) => entry.type !== '')
    .sort((a, b) => b.quality - a.quality);

const encodings: Record<string, Form['encoding']> = {
  'application/json': 'json',
  'application/*': 'json',
  '*/*': 'json',
  'application/yaml': 'yaml',
};

const metaForms = ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'] as const;
const isMetaForm = (as: string | undefined): as is (typeof metaForms)[number] =>
  metaForms.includes(as as (typeof metaForms)[number]);

const formOf = ({ type, parameters }: Entry): Form | undefined => {
  const encoding = Object.hasOwn(encodings, type) ? encodings[type] : undefined;
  if (!encoding) return undefined;
  const { as, g, v } = parameters;
  if (as === undefined) return { encoding };
  if (g === 'meta.k8s.io' && (v === 'v1' || v === 'v1beta1') && isMetaForm(as)) return { encoding, as, version: v };
  if (g === 'apidiscovery.k8s.io' && (v === 'v2' || v === 'v2beta1') && as === 'APIGroupDiscoveryList')
    return { encoding, as, version: v };
  return undefined;
};

const written = ['application/json', 'application/yaml'];

/** The first format of the Accept header that is among `allowed`; 406 without one. */
export const negotiate = (request: Request, allowed: (form: Form) => boolean = () => true): Form => {
  const accept = request.headers.get('accept');
  if (!accept) return { encoding: 'json' };
  for (const entry of entriesOf(accept)) {
    const form = formOf(entry);
    if (form && allowed(form)) return form;
  }
  throw notAcceptable(written);
};

export const isResourceForm = (form: Form): boolean => form.as !== 'APIGroupDiscoveryList';
export const isPlain = (form: Form): boolean => form.as === undefined;
