/** YAML as Kubernetes reads it: version 1.1 (0644 is octal, `yes` is true), except that y and n are just letters. */
import { type Document, parseAllDocuments, type ScalarTag, type Tags } from 'yaml';

const words: Record<string, RegExp> = {
  true: /^(?:true|True|TRUE|yes|Yes|YES|on|On|ON)$/,
  false: /^(?:false|False|FALSE|no|No|NO|off|Off|OFF)$/,
};

const withoutLetters = (tags: Tags): Tags =>
  tags.map((tag) => {
    if (typeof tag === 'string' || tag.tag !== 'tag:yaml.org,2002:bool') return tag;
    const scalar = tag as ScalarTag;
    const says = scalar.test?.test('true') ? 'true' : 'false';
    return { ...scalar, test: words[says] };
  });

/** Every document of a stream; each carries its own errors. */
export const yamlDocuments = (text: string): Document[] => {
  const documents = parseAllDocuments(text, { version: '1.1', merge: true, customTags: withoutLetters });
  return Array.isArray(documents) ? documents : [];
};
