import { Failure } from '../../exit.ts';
import type { ApiAnswer } from './api-client.ts';

/** The answer to a request, or the sentence that says why there is none; for whoever takes both as they come. */
export async function asked(request: Promise<ApiAnswer>): Promise<ApiAnswer | string> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    return error instanceof Error ? error.message : String(error);
  }
}
