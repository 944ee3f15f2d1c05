/** Names in CEL expressions. */

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
export const isReservedInCel = (name: string): boolean => reserved.has(name);

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
export const isCelIdentifier = (name: string): boolean => identifier.test(name) && !reserved.has(name);
