"""Operations as methods, typed, without writing one twice.

`set = op(SetMemory)` gives a handle a method whose arguments are `SetMemory`'s and whose
result is its `R`. The synchronous face uses `op`, the asynchronous one `aop`; both hand
the same request to the same `perform`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, overload

from loom.operations.base import Request

__all__ = ["AsyncPerformer", "Performer", "aop", "op"]

P = ParamSpec("P")
R = TypeVar("R")


class Performer(Protocol):
    """What a handle must be able to do."""

    def _perform(self, request: Request[Any], /) -> Any: ...


class AsyncPerformer(Protocol):
    """The same, awaited."""

    def _perform(self, request: Request[Any], /) -> Awaitable[Any]: ...


class _Described:
    """Carries the request's documentation and signature to `help()` and notebooks."""

    def __init__(self, request: Callable[..., Any]) -> None:
        self._request = request
        self.__doc__ = request.__doc__
        self.__name__ = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.__name__ = name

    def _dress(self, method: Any) -> Any:
        method.__doc__ = self.__doc__
        method.__name__ = self.__name__
        method.__wrapped_request__ = self._request
        return method


class op(_Described, Generic[P, R]):  # noqa: N801 - reads as a decorator does
    """A synchronous method from a request class."""

    def __init__(self, request: Callable[P, Request[R]]) -> None:
        super().__init__(request)

    @overload
    def __get__(self, handle: None, owner: type) -> op[P, R]: ...
    @overload
    def __get__(self, handle: Performer, owner: type) -> Callable[P, R]: ...
    def __get__(self, handle: Performer | None, owner: type) -> op[P, R] | Callable[P, R]:
        """Bind to a handle, once."""
        if handle is None:
            return self
        request, perform = self._request, handle._perform  # noqa: SLF001

        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            result: R = perform(request(*args, **kwargs))
            return result

        bound = self._dress(call)
        handle.__dict__[self.__name__] = bound
        return bound  # type: ignore[no-any-return]


class aop(_Described, Generic[P, R]):  # noqa: N801 - reads as a decorator does
    """An asynchronous method from a request class."""

    def __init__(self, request: Callable[P, Request[R]]) -> None:
        super().__init__(request)

    @overload
    def __get__(self, handle: None, owner: type) -> aop[P, R]: ...
    @overload
    def __get__(self, handle: AsyncPerformer, owner: type) -> Callable[P, Awaitable[R]]: ...
    def __get__(
        self, handle: AsyncPerformer | None, owner: type
    ) -> aop[P, R] | Callable[P, Awaitable[R]]:
        """Bind to a handle, once."""
        if handle is None:
            return self
        request, perform = self._request, handle._perform  # noqa: SLF001

        async def call(*args: P.args, **kwargs: P.kwargs) -> R:
            result: R = await perform(request(*args, **kwargs))
            return result

        bound = self._dress(call)
        handle.__dict__[self.__name__] = bound
        return bound  # type: ignore[no-any-return]
