/** Whether an API server's EncryptionConfiguration has the key that objects are encrypted with. Pure. */

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** `key`: as etcd's values begin, such as `aescbc:v1:key1`; only its value is not compared. */
export const hasKey = (configuration: string | undefined, key: string): boolean => {
  const [provider = '', , name = ''] = key.split(':');
  if (configuration === undefined) return false;
  const has = (pattern: string) => new RegExp(pattern, 'm').test(configuration);
  return (
    has(`["']?\\b${escaped(provider)}["']?\\s*:`) && has(`["']?name["']?\\s*:\\s*["']?${escaped(name)}["']?\\s*(,|}|$)`)
  );
};
