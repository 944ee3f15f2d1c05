/** Rules for additionalTags, which AWSClusters, AWSMachines and their templates carry (api/v1beta2/tags.go). */
/** This many tags. */
export const tags = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`team/${i}`, 'a']));
export const ofTags: { refuses: string; additionalTags: Record<string, string>; says: string }[] = [
  { refuses: 'a tag without a key', additionalTags: { '': 'a' }, says: 'key cannot be empty' },
  {
    refuses: 'a key of 129 characters',
    additionalTags: { ['a'.repeat(129)]: 'a' },
    says: 'key cannot be longer than 128 characters',
  },
  {
    refuses: 'a value of 257 characters',
    additionalTags: { a: 'a'.repeat(257) },
    says: 'value cannot be longer than 256 characters',
  },
  { refuses: "a key of AWS's own", additionalTags: { 'aws:a': 'a' }, says: 'key cannot have prefix aws:' },
  {
    refuses: 'other characters in a key',
    additionalTags: { 'a#': 'a' },
    says: 'key cannot have characters other than',
  },
  {
    refuses: 'other characters in a value',
    additionalTags: { a: 'a#' },
    says: 'value cannot have characters other than',
  },
  { refuses: '51 tags', additionalTags: tags(51), says: 'user created tags cannot be more than 50' },
];
