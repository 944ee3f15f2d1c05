import type { ServerContext } from './call.ts';
import { notServed } from './status.ts';
export const openApi = (_server: ServerContext, _request: Request, _parts: string[]): Response => { throw notServed(); };
